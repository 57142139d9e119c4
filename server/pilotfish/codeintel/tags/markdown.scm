(section . (atx_heading heading_content: (inline) @name)) @def.string
(setext_heading heading_content: (paragraph (inline) @name)) @def.string
