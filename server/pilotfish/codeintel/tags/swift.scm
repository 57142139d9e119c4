(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @def.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @def.enum
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @scope) @name) @def.extension
(class_declaration name: (type_identifier) @name) @def.class
(protocol_declaration name: (type_identifier) @name) @def.interface
(protocol_function_declaration name: (simple_identifier) @name) @def.method
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.property
(enum_entry name: (simple_identifier) @name) @def.enum_member
(function_declaration name: (simple_identifier) @name) @def.function
(init_declaration name: "init" @name) @def.constructor
(typealias_declaration name: (type_identifier) @name) @def.alias
(property_declaration
  (value_binding_pattern mutability: "let") name: (pattern bound_identifier: (simple_identifier) @name)) @def.constant
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.variable
(lambda_literal) @closure
(deinit_declaration) @closure
(comment) @comment
(multiline_comment) @comment

(call_expression . (simple_identifier) @ref.call)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @ref.call)))
(import_declaration (identifier (simple_identifier) @ref.import))
(type_identifier) @ref.type
(simple_identifier) @ref
