(function_declaration name: (identifier) @name) @def.function
(function_declaration name: (dot_index_expression
  table: [(identifier) @scope (dot_index_expression field: (identifier) @scope)]
  field: (identifier) @name)) @def.function
(function_declaration name: (method_index_expression
  table: [(identifier) @scope (dot_index_expression field: (identifier) @scope)]
  method: (identifier) @name)) @def.method
(assignment_statement
  (variable_list name: (dot_index_expression
    table: [(identifier) @scope (dot_index_expression field: (identifier) @scope)]
    field: (identifier) @name))
  (expression_list value: (function_definition))) @def.function
(chunk (assignment_statement (variable_list name: (dot_index_expression
  table: (identifier) @scope field: (identifier) @name))) @def.field)
(variable_declaration (assignment_statement
  (variable_list name: (identifier) @name)
  (expression_list value: (function_definition)))) @def.function
(variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @def.variable
(chunk (assignment_statement (variable_list name: (identifier) @name)) @def.variable)
(field name: (identifier) @name value: (function_definition)) @def.method
(function_definition) @closure
(comment) @comment

(function_call name: (identifier) @ref.call)
(function_call name: (dot_index_expression field: (identifier) @ref.call))
(function_call name: (method_index_expression method: (identifier) @ref.call))
(identifier) @ref
