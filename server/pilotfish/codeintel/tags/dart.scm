(class_definition name: (identifier) @name) @def.class
(mixin_declaration (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(enum_constant name: (identifier) @name) @def.enum_member
(extension_declaration name: (identifier) @name class: (type_identifier) @scope) @def.extension
(extension_type_declaration name: (identifier) @name) @def.class
(type_alias . (type_identifier) @name) @def.alias
((method_signature (constructor_signature (identifier) @name . (formal_parameter_list))) @def.constructor
  . (function_body) @body)
((method_signature (factory_constructor_signature (identifier) @name . (formal_parameter_list))) @def.constructor
  . (function_body) @body)
((method_signature (function_signature name: (identifier) @name)) @def.function . (function_body) @body)
((method_signature (getter_signature name: (identifier) @name)) @def.property . (function_body) @body)
((method_signature (setter_signature name: (identifier) @name)) @def.property . (function_body) @body)
(declaration (constructor_signature (identifier) @name . (formal_parameter_list))) @def.constructor
(declaration (constant_constructor_signature (identifier) @name . (formal_parameter_list))) @def.constructor
(declaration (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))) @def.constructor
(declaration (factory_constructor_signature (identifier) @name . (formal_parameter_list))) @def.constructor
(declaration (function_signature name: (identifier) @name)) @def.function
(declaration (getter_signature name: (identifier) @name)) @def.property
(declaration (setter_signature name: (identifier) @name)) @def.property
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @def.field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @def.constant
(program (function_signature name: (identifier) @name) @def.function . (function_body) @body)
(program (getter_signature name: (identifier) @name) @def.property . (function_body) @body)
(program (setter_signature name: (identifier) @name) @def.property . (function_body) @body)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name) @def.constant))
(program (initialized_identifier_list (initialized_identifier . (identifier) @name) @def.variable))
(local_function_declaration (lambda_expression parameters: (function_signature name: (identifier) @name))) @def.function
(function_expression) @closure
(documentation_comment) @comment
(comment) @comment
(annotation) @attribute

((identifier) @ref.call . (selector (argument_part)))
((selector (unconditional_assignable_selector (identifier) @ref.call)) . (selector (argument_part)))
((selector (conditional_assignable_selector (identifier) @ref.call)) . (selector (argument_part)))
(new_expression (type_identifier) @ref.call)
(const_object_expression (type_identifier) @ref.call)
(annotation name: (identifier) @ref.call)
(combinator (identifier) @ref.import)
(type_identifier) @ref.type
(identifier) @ref
