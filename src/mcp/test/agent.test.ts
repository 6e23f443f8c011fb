/** The cost of a task for a model that knows the tools by their descriptions alone: the real client, on the demo directory. */
import { expect, test } from 'bun:test'
import { shared } from '../../../test/helpers/shared.ts'
import { silentLog } from '../../log.ts'
import { seedDemo } from '../../server/demo/demo.ts'
import { openTestDirectory } from '../../testing/directory.ts'
import { ERAS, httpServer, tokensOf, told } from './clients.ts'

const demo = shared(
  async () => {
    const options = { listen: false, companies: [] } as const
    return (await openTestDirectory(options, { fill: seedDemo, log: silentLog })).directory
  },
  (started) => started.stop(),
)

interface Property {
  type: string
  description: string
  items?: { enum?: string[] }
}

test.each(ERAS)(
  'protocol %s: five founders of DeFi with an e-mail take 5 credits and 8,000 tokens to find, and 12,000 with the question and the reveal of each',
  async (era) => {
    await using server = httpServer(demo)
    const account = await demo.account({ tier: 'pro', credits: 500 })
    const client = await server.connect(account.key, { era })
    // All that a model is sent before it does anything: descriptions, and schemas of arguments and of answers.
    const { tools } = await client.listTools()
    let tokens = tokensOf(client.getInstructions() ?? '') + tokensOf(JSON.stringify(tools))
    const call = async (name: string, args: Record<string, unknown>) => {
      const answer = await told(client, name, args)
      expect([name, answer.isError]).toEqual([name, false])
      tokens += tokensOf(JSON.stringify({ name, args })) + tokensOf(answer.text)
      return answer
    }

    // The tool is the one whose description speaks of the task, the arguments are those that its schema offers.
    const finders = tools.filter(({ description = '' }) => /founders.*e-mail/s.test(description))
    expect(finders.map(({ name }) => name)).toEqual(['list_people'])
    const [finder] = finders
    const offered = { ...finder?.inputSchema.properties } as unknown as Record<string, Property>
    const takes = (value: string) =>
      Object.keys(offered).find((name) => offered[name]?.items?.enum?.includes(value)) ?? ''
    const args = { [takes('founder')]: ['founder'], [takes('email')]: ['email'], sector: ['DeFi'] }
    expect(Object.keys(args)).toEqual(['roles', 'channels', 'sector'])
    expect(offered.sector?.description).toContain('sectors')
    const { body } = await call(finder?.name ?? '', { ...args, limit: 5 })
    expect(body.data).toHaveLength(5)
    const spent = async () => 500 - (await account.balance())
    expect([await spent(), tokens < 8_000]).toEqual([5, true])

    // A first reveal has a price of its own in the contract: four more fit into fifty credits, all five into the tokens.
    for (const [number, { slug, firstName, lastName, hasEmail }] of body.data.entries()) {
      const asked = await call('reveal_contact', { id: slug })
      expect([hasEmail, asked.text]).toEqual([
        true,
        expect.stringContaining(`${firstName} ${lastName}`),
      ])
      const revealed = await call('reveal_contact', { id: slug, confirm: asked.body.confirm })
      expect(revealed.body.person.email).toContain('@')
      expect(await spent()).toBe(5 + 10 * (number + 1))
    }
    expect(tokens).toBeLessThanOrEqual(12_000)
    if (process.env.MCP_FIGURES) console.log(`${era}: ${await spent()} credits, ${tokens} tokens`)
    await client.close()
  },
)
