(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @def.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @def.enum
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @scope) @name) @def.extension
(class_declaration name: (type_identifier) @name) @def.class
(protocol_declaration name: (type_identifier) @name) @def.interface
(protocol_function_declaration name: (simple_identifier) @name) @def.method
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.property
(enum_entry name: (simple_identifier) @name) @def.enum_member
(protocol_body (associatedtype_declaration name: (type_identifier) @name) @def.alias)
(function_declaration name: (simple_identifier) @name) @def.function
(function_declaration name: [
  (custom_operator) "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "===" "!==" "+=" "-=" "*=" "/=" "%="
  "..." "..<" "<<" ">>" "&" "|" "^" "~" "++" "--"
] @name) @def.function
(init_declaration name: "init" @name) @def.constructor
(deinit_declaration "deinit" @name) @def.method
(subscript_declaration "subscript" @name) @def.method
(typealias_declaration name: (type_identifier) @name) @def.alias
(property_declaration
  (value_binding_pattern mutability: "let") name: (pattern bound_identifier: (simple_identifier) @name)) @def.constant
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.variable
(property_declaration name: (pattern (pattern (simple_identifier) @name))) @def.variable
(lambda_literal) @closure
(comment) @comment
(multiline_comment) @comment

(call_expression . (simple_identifier) @ref.call)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @ref.call)))
(import_declaration (identifier (simple_identifier) @ref.import))
(type_identifier) @ref.type
(simple_identifier) @ref
