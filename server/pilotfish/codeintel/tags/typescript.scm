(class_declaration name: (type_identifier) @name) @def.class
(abstract_class_declaration name: (type_identifier) @name) @def.class
(interface_declaration name: (type_identifier) @name) @def.interface
(type_alias_declaration name: (type_identifier) @name) @def.alias
(enum_declaration name: (identifier) @name) @def.enum
(enum_body name: (property_identifier) @name @def.enum_member)
(enum_body name: (string (string_fragment) @name) @def.enum_member)
(enum_assignment name: [(property_identifier) @name (string (string_fragment) @name)]) @def.enum_member
(internal_module name: [(identifier) (nested_identifier)] @name) @def.namespace
(module name: [(identifier) @name (nested_identifier) @name (string (string_fragment) @name)]) @def.namespace
(ambient_declaration "global" @name (statement_block)) @def.namespace
(function_declaration name: (identifier) @name) @def.function
(function_signature name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(method_definition name: [
  (property_identifier) @name
  (private_property_identifier) @name
  (computed_property_name) @name
  (number) @name
  (string (string_fragment) @name)
]) @def.method
(abstract_method_signature name: (property_identifier) @name) @def.method
(method_signature name: [(property_identifier) @name (string (string_fragment) @name)]) @def.method
(property_signature name: [(property_identifier) @name (string (string_fragment) @name)]) @def.property
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @def.method
(public_field_definition name: [
  (property_identifier) @name
  (private_property_identifier) @name
  (string (string_fragment) @name)
]) @def.field
(required_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @name) @def.promoted
(optional_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @name) @def.promoted
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)])) @def.function
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)])) @def.function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class))) @def.class
(lexical_declaration "const" (variable_declarator name: (identifier) @name)) @def.constant
(lexical_declaration "let" (variable_declarator name: (identifier) @name)) @def.variable
(variable_declaration (variable_declarator name: (identifier) @name)) @def.variable
(_ (variable_declarator name: (object_pattern [
  (shorthand_property_identifier_pattern) @name
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
  (pair_pattern value: [
    (identifier) @name
    (assignment_pattern left: (identifier) @name)
    (object_pattern (shorthand_property_identifier_pattern) @name)
  ])
  (rest_pattern (identifier) @name)
]))) @def.variable
(_ (variable_declarator name: (array_pattern [
  (identifier) @name
  (assignment_pattern left: (identifier) @name)
  (rest_pattern (identifier) @name)
]))) @def.variable
(expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)])) @def.function
(pair
  key: [(property_identifier) @name (string (string_fragment) @name)]
  value: [(arrow_function) (function_expression) (generator_function)]) @def.method
; Without a name, it has that of its export.
(export_statement "default" @name value: (class)) @def.class
(export_statement "default" @name value: [
  (arrow_function) (function_expression) (generator_function)]) @def.function
(arrow_function) @closure
(function_expression) @closure
(generator_function) @closure
(comment) @comment
(decorator) @attribute

(call_expression function: (identifier) @ref.call)
(call_expression function: (member_expression property: [(property_identifier) (private_property_identifier)] @ref.call))
(new_expression constructor: (identifier) @ref.call)
(new_expression constructor: (member_expression property: (property_identifier) @ref.call))
(extends_clause value: (identifier) @ref.type)
(extends_clause value: (member_expression property: (property_identifier) @ref.type))
(import_clause (identifier) @ref.import)
(import_specifier (identifier) @ref.import)
(namespace_import (identifier) @ref.import)
(type_identifier) @ref.type
(identifier) @ref
(property_identifier) @ref
(private_property_identifier) @ref
(shorthand_property_identifier) @ref
(shorthand_property_identifier_pattern) @ref
