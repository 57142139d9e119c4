(class_declaration "interface" (type_identifier) @name) @def.interface
(class_declaration "enum" (type_identifier) @name) @def.enum
(class_declaration (type_identifier) @name) @def.class
(object_declaration (type_identifier) @name) @def.class
(companion_object (type_identifier) @name) @def.class
(enum_entry (simple_identifier) @name) @def.enum_member
(function_declaration
  receiver: (receiver_type [
    (user_type (type_identifier) @scope)
    (nullable_type (user_type (type_identifier) @scope))
  ])
  (simple_identifier) @name) @def.function
(function_declaration (simple_identifier) @name) @def.function
(secondary_constructor "constructor" @name) @def.constructor
(class_parameter (binding_pattern_kind) (simple_identifier) @name) @def.property
((property_declaration (modifiers (property_modifier) @_const)
  (variable_declaration (simple_identifier) @name)) @def.constant
  (#eq? @_const "const"))
(property_declaration
  receiver: (receiver_type [
    (user_type (type_identifier) @scope)
    (nullable_type (user_type (type_identifier) @scope))
  ])
  (variable_declaration (simple_identifier) @name)) @def.property
(property_declaration (variable_declaration (simple_identifier) @name)) @def.variable
(property_declaration (multi_variable_declaration (variable_declaration (simple_identifier) @name))) @def.variable
(type_alias (type_identifier) @name) @def.alias
(lambda_literal) @closure
; The body of a class behind ``by other`` looks to the grammar like a last argument.
(explicit_delegation (call_expression (call_suffix (annotated_lambda (lambda_literal) @members))))
(anonymous_function) @closure
(line_comment) @comment
(multiline_comment) @comment

(call_expression . (simple_identifier) @ref.call)
(call_expression . (navigation_expression (navigation_suffix (simple_identifier) @ref.call)))
(constructor_invocation (user_type (type_identifier) @ref.call))
(import_header (identifier (simple_identifier) @ref.import))
(type_identifier) @ref.type
(simple_identifier) @ref
