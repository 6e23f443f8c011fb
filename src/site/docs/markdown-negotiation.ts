/** Who gets a page of the documentation as Markdown: whoever asks for its `.md`, or prefers the type. */

export const MARKDOWN = 'text/markdown'

/** The headers of a page that is Markdown for whoever prefers that. @param href the link to the page */
export function markdownHeaders(href: string): Readonly<Record<string, string>> {
  return {
    link: `<${href}.md>; rel="alternate"; type="${MARKDOWN}"`,
    vary: 'Accept, Accept-Encoding, Cookie',
  }
}

/** Whether a request asks for Markdown at least as gladly as for HTML (RFC 9110, 12.5.1); `*` asks for neither. */
export function prefersMarkdown(request: Request): boolean {
  const accept = request.headers.get('accept')?.toLowerCase()
  if (!accept?.includes(MARKDOWN)) return false
  const weights = new Map(
    accept.split(',').map((range): [string, number] => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return [type, weight === undefined ? 1 : Number(weight.slice(2))]
    }),
  )
  const weight = weights.get(MARKDOWN) ?? 0
  return weight > 0 && weight >= (weights.get('text/html') ?? 0)
}
