/** Lists and views, as their tests make them. */
import { formIn } from './reading.ts'
import type { Person } from './visitor.ts'

/** The page that puts records on a list. */
export const addPath = (ids: readonly string[]) =>
  `/lists/add?${new URLSearchParams(ids.map((id) => ['ids', id]))}`

/** The hidden fields of a page's form. */
export async function formOn(someone: Person, page: string, action: string) {
  const form = formIn(await someone.text(page), action)
  if (!form) throw new Error(`${page} has no form ${action}`)
  return form
}

/** Puts records on a list of this name, as its page does. @returns the list's path */
export async function keep(someone: Person, ids: readonly string[], name: string): Promise<string> {
  const form = await formOn(someone, addPath(ids), '/lists/add')
  form.set('name', name)
  const answer = await someone.post('/lists/add', form)
  return answer.headers.get('location')?.split('?')[0] ?? `status ${answer.status}`
}

/** Paths of the records that a page lists. */
export const listed = (text: string) =>
  [...text.matchAll(/<a class="name" href="([^"]*)"/g)].map(([, path]) => path!)
