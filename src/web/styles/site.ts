/** The sheets of styles, served as one. */
import base from './base.css' with { type: 'text' }
import docs from './docs.css' with { type: 'text' }
import forms from './forms.css' with { type: 'text' }
import frame from './frame.css' with { type: 'text' }
import lists from './lists.css' with { type: 'text' }
import narrow from './narrow.css' with { type: 'text' }
import panels from './panels.css' with { type: 'text' }

/** In the order of the cascade. */
export const siteStyles = [base, frame, forms, lists, panels, docs, narrow].join('\n')
