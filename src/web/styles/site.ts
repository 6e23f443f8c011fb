/** The sheets of styles, served as one. */
import base from './base.css' with { type: 'text' }
import codeAndTables from './code-and-tables.css' with { type: 'text' }
import docs from './docs.css' with { type: 'text' }
import forms from './forms.css' with { type: 'text' }
import frame from './frame.css' with { type: 'text' }
import home from './home.css' with { type: 'text' }
import lists from './lists.css' with { type: 'text' }
import narrow from './narrow.css' with { type: 'text' }
import profiles from './profiles.css' with { type: 'text' }
import tokens from './tokens.css' with { type: 'text' }
import usage from './usage.css' with { type: 'text' }

/** In the order of the cascade. */
export const siteStyles = [
  tokens,
  base,
  frame,
  forms,
  lists,
  profiles,
  codeAndTables,
  docs,
  usage,
  home,
  narrow,
].join('\n')
