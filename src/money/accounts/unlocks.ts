/** Unlocked contacts of an account, whose channels the application shows at no cost. */
import type { Database } from '../../database/client.ts'
import type { UnlockedContact } from '../charge/call.ts'

/** @returns the ids that the account has unlocked. */
export async function unlockedAmong(database: Database, accountId: string, personIds: string[]) {
  if (personIds.length === 0) return new Set<string>()
  const rows = await database.use(
    ({ sql }) => sql<{ id: string }[]>`
      select person_id as id from unlocks
       where account_id = ${accountId} and person_id = any (${`{${personIds.join()}}`}::uuid[])`,
  )
  return new Set(rows.map(({ id }) => id))
}

export type Contacts = ReadonlyMap<string, UnlockedContact>

/**
 * Reads the private channels of unlocked contacts; none for a suspended account. The caller may use them for one answer and must
 * not keep them. @throws DatabaseUnavailable
 */
export async function unlockedContacts(
  database: Database,
  accountId: string,
  personIds: readonly string[],
): Promise<Contacts> {
  if (personIds.length === 0) return new Map()
  const rows = await database.use(
    ({ sql }) => sql<{ contact: UnlockedContact }[]>`
      select meter_contact(u.person_id, c) as contact
        from unlocks u
        join accounts a on a.id = u.account_id and a.suspended_at is null
        join people p on p.id = u.person_id
        left join private_channels c on c.person_id = u.person_id
       where u.account_id = ${accountId} and u.person_id = any (${`{${personIds.join()}}`}::uuid[])`,
  )
  return new Map(rows.map(({ contact }) => [contact.id, contact]))
}
