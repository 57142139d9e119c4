(class_definition name: (identifier) @name) @def.class
(object_definition name: (identifier) @name) @def.class
(trait_definition name: (identifier) @name) @def.interface
(enum_definition name: (identifier) @name) @def.enum
(simple_enum_case name: (identifier) @name) @def.enum_member
(full_enum_case name: (identifier) @name) @def.enum_member
(function_definition name: [(identifier) (operator_identifier)] @name) @def.function
(function_declaration name: [(identifier) (operator_identifier)] @name) @def.function
(val_definition pattern: (identifier) @name) @def.constant
(val_definition pattern: [(identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @def.constant
(val_declaration name: (identifier) @name) @def.constant
(var_definition pattern: (identifier) @name) @def.variable
(var_definition pattern: [(identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @def.variable
(var_declaration name: (identifier) @name) @def.variable
(given_definition name: (identifier) @name) @def.constant
(type_definition name: (type_identifier) @name) @def.alias
(class_definition class_parameters: (class_parameters (class_parameter ["val" "var"] name: (identifier) @name) @def.field))
(lambda_expression) @closure
(comment) @comment
(block_comment) @comment

(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression field: (identifier) @ref.call))
(call_expression function: (generic_function function: (identifier) @ref.call))
(instance_expression (type_identifier) @ref.call)
(import_declaration (identifier) @ref.import)
(namespace_selectors (identifier) @ref.import)
(arrow_renamed_identifier name: (identifier) @ref.import alias: (identifier) @ref.import)
(as_renamed_identifier name: (identifier) @ref.import alias: (identifier) @ref.import)
(type_identifier) @ref.type
(identifier) @ref
