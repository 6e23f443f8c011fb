/** Pages as a person reads them: the text of their tables, and their forms as a browser would send them. */

/** Text of an element, with blanks collapsed. */
export function textIn(html: string): string {
  const text = html
    .replace(/<\/(p|pre|h\d|li|d[dt]|t[dh]|a|label|option|summary)>/g, ' ')
    .replace(/<[^>]*>/g, '')
  return decoded(text).replace(/\s+/g, ' ').trim()
}

/** The rows of the table with this label, the header left out; each the text of its cells. */
export function tableIn(html: string, label: string): string[][] {
  const [, after = ''] = html.split(`aria-label="Table: ${label}"`)
  const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(after) ?? []
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => textIn(cell)),
  )
}

/** The labels of its columns. */
export function columnsIn(html: string, label: string): string[] {
  const [, after = ''] = html.split(`aria-label="Table: ${label}"`)
  const [, head = ''] = /<thead>(.*?)<\/thead>/s.exec(after) ?? []
  return [...head.matchAll(/<th[^>]*>(.*?)<\/th>/gs)].map(([, cell = '']) => textIn(cell))
}

/** The plans of the price list, as their cards say them. */
export function plansIn(html: string) {
  const [, after = ''] = html.split('class="plans"')
  const cards = after.matchAll(
    /<h3>(.*?)<\/h3>\s*<p>(.*?)<\/p>\s*<ul>(.*?)<\/ul>(?:\s*<p>(.*?)<\/p>)?/gs,
  )
  return [...cards].map(([, name = '', price = '', list = '', choice = '']) => ({
    name: textIn(name),
    price: textIn(price),
    features: [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, feature = '']) => textIn(feature)),
    choice: textIn(choice),
  }))
}

/** The value of a fact: what a list of them says beside this name. */
export function factIn(html: string, name: string): string | undefined {
  const facts = html.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)
  const found = [...facts].find(([, label = '']) => textIn(label) === name)
  return found && textIn(found[2] ?? '')
}

/** The hidden fields of the page's form with this action; undefined where there is none. */
export function formIn(html: string, action: string): URLSearchParams | undefined {
  const forms = html.matchAll(/<form[^>]*\baction="([^"]*)"[^>]*>(.*?)<\/form>/gs)
  const [, , body] = [...forms].find(([, it = '']) => decoded(it) === action) ?? []
  if (body === undefined) return undefined
  const fields = body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return new URLSearchParams(
    [...fields].map(([, name = '', value = '']) => [decoded(name), decoded(value)]),
  )
}

/** Label of the submit button of that form. */
export function buttonIn(html: string, action: string): string | undefined {
  const forms = html.matchAll(/<form[^>]*\baction="([^"]*)"[^>]*>(.*?)<\/form>/gs)
  const [, , body = ''] = [...forms].find(([, it = '']) => decoded(it) === action) ?? []
  const [, label] = /<button[^>]*type="submit"[^>]*>(.*?)<\/button>/s.exec(body) ?? []
  return label === undefined ? undefined : textIn(label)
}

/** A figure as pages write it: "−1,005", "+250", "12 credits". */
export function numberIn(text: string): number {
  const [, sign = '', digits = ''] = /^([−+]?)([\d,]+)/.exec(text) ?? []
  const value = Number(digits.replaceAll(',', '') || Number.NaN)
  return sign === '−' ? -value : value
}

function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

/** Every form of a page that is posted, with the names and values of its fields as the page was loaded. */
export function formsIn(html: string): { action: string; fields: [string, string][] }[] {
  const forms = html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)
  return [...forms].flatMap(([, head = '', body = '']) => {
    if (!/\bmethod="post"/.test(head)) return []
    const [, action = ''] = /\baction="([^"]*)"/.exec(head) ?? []
    const fields = [...body.matchAll(/<(?:input|select|textarea|button)\b[^>]*>/g)].flatMap(
      ([tag]): [string, string][] => {
        const [, name] = /\bname="([^"]*)"/.exec(tag) ?? []
        const [, value = ''] = /\bvalue="([^"]*)"/.exec(tag) ?? []
        return name === undefined ? [] : [[decoded(name), decoded(value)]]
      },
    )
    return [{ action: decoded(action), fields }]
  })
}
