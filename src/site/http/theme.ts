/** The colours that a browser's user has chosen: a cookie that the server reads, so that a page has them from its first line on. */
import { cookieValues } from '../../people/users/cookies.ts'

export const THEMES = ['light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const COOKIE = 'ck_theme'
const YEAR_SECONDS = 365 * 86_400

/** Over https it is bound to this host; one that was set before over http holds no more. */
const nameFor = (appUrl: string) => (appUrl.startsWith('https:') ? `__Host-${COOKIE}` : COOKIE)

/** @returns undefined where the browser's or the system's own colours hold. */
export function themeOf(request: Request, appUrl: string): Theme | undefined {
  const sent = cookieValues(request, nameFor(appUrl))
  return THEMES.find((theme) => sent.includes(theme))
}

/** A value of `Set-Cookie`. @param theme undefined for the system's: the cookie goes */
export function themeCookie(theme: Theme | undefined, appUrl: string): string {
  const secure = appUrl.startsWith('https:') ? '; Secure' : ''
  const age = theme ? YEAR_SECONDS : 0
  return `${nameFor(appUrl)}=${theme ?? ''}; Max-Age=${age}; Path=/; HttpOnly; SameSite=Lax${secure}`
}
