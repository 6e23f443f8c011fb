/** What the tests of lists and views share: two who act for one account, and what one puts on a list. */
import type { TestService } from '../helpers/service.ts'
import { formIn } from './reading.ts'
import type { Person, Town } from './visitor.ts'

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

/** An owner and a member of one workspace. */
export async function workspace(service: TestService, town: Town): Promise<[Person, Person]> {
  const [owner, member] = [await town.customer(100, 'team'), await town.person('Ben')]
  await service.sql`
    insert into members (account_id, user_id, role, joined_at)
    values (${owner.accountId}, ${member.userId}, 'member', now())`
  await service.sql`update sessions set account_id = ${owner.accountId} where user_id = ${member.userId}`
  return [owner, member]
}
