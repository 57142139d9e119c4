(let_binding pattern: (value_name) @name (parameter)) @def.function
(let_binding pattern: (parenthesized_operator (_) @name) (parameter)) @def.function
(let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @def.function
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @def.constant))
(structure (value_definition (let_binding pattern: (value_name) @name) @def.constant))
(class_binding (class_name) @name) @def.class
(method_definition (method_name) @name) @def.method
(instance_variable_definition (instance_variable_name) @name) @def.field
(fun_expression) @closure
(function_expression) @closure

(application_expression function: (value_path (value_name) @ref.call))
(method_invocation method: (method_name) @ref.call)
(constructor_path (constructor_name) @ref.call)
(new_expression (class_path (class_name) @ref.call))
(value_name) @ref
(value_pattern) @ref
(field_name) @ref
(constructor_name) @ref
(instance_variable_name) @ref
