/** Language models: the Model Context Protocol, spoken by the program itself. */
import { expect } from 'bun:test'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { ERAS, newClient, told } from '../../../src/mcp/test/clients.ts'
import type { Stage } from '../stage.ts'

export function modelCases(stage: Stage) {
  for (const era of ERAS) {
    stage.check(
      `a language model reads, asks before it reveals and stops at its limit, by the protocol of ${era}`,
      async () => {
        const caller = await stage.caller('pro', 100)
        const questions: string[] = []
        const client = newClient({
          era,
          answers: (message) => {
            questions.push(message)
            return { action: 'accept', content: { reveal: true } }
          },
        })
        const [command, ...args] = stage.target.program
        const { PATH = '', HOME = '' } = process.env
        const transport = new StdioClientTransport({
          command,
          args: [...args, 'mcp', '--max-credits', '15'],
          cwd: stage.directory,
          env: { PATH, HOME, CHAINKIN_URL: stage.server.apiUrl, CHAINKIN_KEY: caller.key },
        })
        await client.connect(transport)
        const found = await told(client, 'search', { q: 'ada', limit: 1 })
        expect(found.body.people[0].slug).toBe('ada-ashford')
        const { body } = await told(client, 'reveal_contact', { id: 'ada-ashford' })
        expect(body.person.email).toBe('ada-sentinel@private.example')
        const last = await told(client, 'get_balance')
        expect(last.body.session).toEqual({ creditsSpent: 15, maxCredits: 15 })
        const refused = await told(client, 'list_people')
        expect([refused.isError, questions.length]).toEqual([true, 1])
        await client.close()
        expect(await stage.account(caller)).toEqual({ left: 85, spent: 15 })
      },
    )
  }
}
