import { describe, expect, test } from 'bun:test'
import { rolesFrom } from '../../../src/intake/import/kinds.ts'
import { effortOf } from '../../helpers/effort.ts'

/** Title → roles, as an operator would file them. */
const TITLES: Record<string, string> = {
  'Co-Founder & CEO': 'founder executive',
  'Founder/CEO': 'founder executive',
  'Cofounder, CTO': 'founder executive engineering',
  'C.E.O.': 'executive',
  Président: 'executive',
  'VP of Engineering': 'executive engineering',
  'Vice President, Sales': 'executive business-development',
  'Managing Director': 'executive',
  Director: 'executive',
  'Director of Business Development': 'business-development',
  'Marketing Director': 'marketing',
  'Chief Marketing Officer': 'executive marketing',
  'Chief of Staff': 'executive operations',
  COO: 'executive operations',
  'General Partner': 'investor',
  'Managing Partner': 'executive investor',
  'Founding Partner': 'founder investor',
  'Partner @ Example Ventures': 'investor',
  Principal: 'investor',
  'Angel investor': 'investor',
  'Investment Analyst': 'investor research',
  'Principal Engineer': 'engineering',
  'Founding Engineer': 'engineering',
  'Senior Solidity Developer': 'engineering',
  'Full-Stack Developer': 'engineering',
  'Smart Contract Auditor': 'engineering',
  'Head of Security': 'engineering',
  'Data Scientist': 'engineering research',
  'R&D': 'engineering research',
  Cryptographer: 'engineering research',
  'Head of Product': 'product',
  'UX Designer': 'product',
  'Product Marketing Manager': 'marketing',
  'Head of Growth': 'marketing',
  'Content Creator': 'marketing',
  'Social Media Manager': 'marketing',
  'Business Development Manager': 'business-development',
  BizDev: 'business-development',
  'Head of Partnerships': 'business-development',
  'HR Business Partner': 'operations',
  'Community Manager': 'community',
  'Developer Relations Engineer': 'engineering community',
  'DAO Delegate': 'community',
  'Research Analyst': 'research',
  'Tokenomics Lead': 'research',
  'Operations Manager': 'operations',
  'Head of Finance': 'operations',
  "Founder's Associate": 'operations',
  Trader: 'operations',
  'General Counsel': 'legal',
  'Compliance Officer': 'legal',
  Astronaut: 'other',
  Chef: 'other',
  Professor: 'research',
  合伙人: 'other',
  'Promoter of modesty': 'other',
}

describe('roles are derived from the job title', () => {
  for (const [title, roles] of Object.entries(TITLES)) {
    test(title, () => expect(rolesFrom(title).join(' ')).toBe(roles))
  }
  test('no title is no role', () => expect(rolesFrom(null)).toEqual([]))
  test('a title of thousands of words is read in no time', () => {
    expect(effortOf(() => rolesFrom('chief of the very long '.repeat(2_000)))).toBeLessThan(500)
  })
})
