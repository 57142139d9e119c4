(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(annotation_type_element_declaration name: (identifier) @name) @def.method
(enum_declaration name: (identifier) @name) @def.enum
(enum_constant name: (identifier) @name) @def.enum_member
(method_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.constructor
(compact_constructor_declaration name: (identifier) @name) @def.constructor
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @def.field))
(field_declaration
  (modifiers "static" "final") declarator: (variable_declarator name: (identifier) @name)) @def.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant
(lambda_expression) @closure
(line_comment) @comment
(block_comment) @comment

(method_invocation name: (identifier) @ref.call)
(object_creation_expression type: (type_identifier) @ref.call)
(object_creation_expression type: (generic_type (type_identifier) @ref.call))
(method_reference "::" (identifier) @ref.call)
(marker_annotation name: (identifier) @ref.type)
(annotation name: (identifier) @ref.type)
(import_declaration (scoped_identifier name: (identifier) @ref.import))
(type_identifier) @ref.type
(identifier) @ref
