(function_definition name: (word) @name) @def.function
(program (variable_assignment name: (variable_name) @name) @def.variable)
(program (declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @def.constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @def.variable)
(comment) @comment

(command name: (command_name (word) @ref.call))
(variable_name) @ref
