(module_definition name: (identifier) @name) @def.module
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
])) @def.struct
(primitive_definition (type_head [
  (identifier) @name
  (binary_expression . (identifier) @name)
])) @def.struct
(abstract_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
])) @def.interface
(struct_definition (block (typed_expression . (identifier) @name) @def.field))
(struct_definition (block (identifier) @name @def.field))
(function_definition (signature (call_expression . [(identifier) (operator)] @name))) @def.function
(function_definition (signature (typed_expression . (call_expression . [(identifier) (operator)] @name)))) @def.function
(function_definition (signature (where_expression . (call_expression . [(identifier) (operator)] @name)))) @def.function
(function_definition (signature (where_expression . (typed_expression .
  (call_expression . [(identifier) (operator)] @name))))) @def.function
(function_definition (signature
  (call_expression . (field_expression value: (_) @scope (identifier) @name .)))) @def.function
(function_definition (signature (typed_expression .
  (call_expression . (field_expression value: (_) @scope (identifier) @name .))))) @def.function
(function_definition (signature (where_expression .
  (call_expression . (field_expression value: (_) @scope (identifier) @name .))))) @def.function
(function_definition (signature (where_expression . (typed_expression .
  (call_expression . (field_expression value: (_) @scope (identifier) @name .)))))) @def.function
(assignment . (call_expression . [(identifier) (operator)] @name)) @def.function
(assignment . (typed_expression . (call_expression . [(identifier) (operator)] @name))) @def.function
(assignment . (where_expression . (call_expression . [(identifier) (operator)] @name))) @def.function
(assignment . (where_expression . (typed_expression .
  (call_expression . [(identifier) (operator)] @name)))) @def.function
(assignment . (call_expression . (field_expression value: (_) @scope (identifier) @name .))) @def.function
(assignment . (typed_expression .
  (call_expression . (field_expression value: (_) @scope (identifier) @name .)))) @def.function
(assignment . (where_expression .
  (call_expression . (field_expression value: (_) @scope (identifier) @name .)))) @def.function
(assignment . (where_expression . (typed_expression .
  (call_expression . (field_expression value: (_) @scope (identifier) @name .))))) @def.function
(function_definition (signature (identifier) @name)) @def.function
(macro_definition (signature (call_expression . (identifier) @name))) @def.macro
(const_statement (assignment . (identifier) @name)) @def.constant
(source_file (assignment . (identifier) @name (arrow_function_expression)) @def.function)
(module_definition (block (assignment . (identifier) @name (arrow_function_expression)) @def.function))
(source_file (assignment . (identifier) @name) @def.variable)
(module_definition (block (assignment . (identifier) @name) @def.variable))
(macrocall_expression (macro_identifier (identifier) @_word) (macro_argument_list . (identifier) @name)
  (#eq? @_word "enum")) @def.enum
(macrocall_expression (macro_identifier (identifier) @_word)
  (macro_argument_list . (identifier) (identifier) @name @def.enum_member)
  (#eq? @_word "enum"))
(arrow_function_expression) @closure
(do_clause) @closure
((string_literal) @doc . [
  (function_definition) (macro_definition) (struct_definition) (abstract_definition) (primitive_definition)
  (module_definition) (const_statement) (assignment)
] @doc.of)
(line_comment) @comment
(block_comment) @comment

(call_expression . (identifier) @ref.call)
(call_expression . (field_expression (identifier) @ref.call .))
(broadcast_call_expression . (identifier) @ref.call)
(broadcast_call_expression . (field_expression (identifier) @ref.call .))
(macrocall_expression (macro_identifier (identifier) @ref.call))
(using_statement (identifier) @ref.import)
(import_statement (identifier) @ref.import)
(selected_import (identifier) @ref.import)
(import_path (identifier) @ref.import)
(typed_expression (_) . (identifier) @ref.type)
(typed_expression (_) . (parametrized_type_expression . (identifier) @ref.type))
(curly_expression (identifier) @ref.type)
(type_head (binary_expression (operator) . (identifier) @ref.type))
(identifier) @ref
