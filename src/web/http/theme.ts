/** The colours that a browser's user has chosen: a cookie that the server reads, so that a page has them from its first line on. */

export const THEMES = ['light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const COOKIE = 'ck_theme'
const YEAR_SECONDS = 365 * 86_400

/** @returns undefined where the browser's or the system's own colours hold. */
export function themeOf(request: Request): Theme | undefined {
  const [, chosen] = SENT.exec(request.headers.get('cookie') ?? '') ?? []
  return THEMES.find((theme) => theme === chosen)
}

const SENT = new RegExp(`(?:^|;\\s*)(?:__Host-)?${COOKIE}=(\\w+)\\s*(?:;|$)`)

/** A value of `Set-Cookie`. @param theme undefined for the system's: the cookie goes */
export function themeCookie(theme: Theme | undefined, appUrl: string): string {
  const isSecure = appUrl.startsWith('https:')
  const name = isSecure ? `__Host-${COOKIE}` : COOKIE
  const age = theme ? YEAR_SECONDS : 0
  return `${name}=${theme ?? ''}; Max-Age=${age}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}
