(block_mapping_pair key: (flow_node) @name) @def.key
(comment) @comment
