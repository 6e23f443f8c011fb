/**
 * Roles derived from a job title. The title is read from left to right, the longest phrase of
 * the table first; each phrase found gives its roles. So "business partner" is never also a
 * "partner", and "founding engineer" is no founder. A title without any phrase is `other`, no title
 * is no role. A row may bring `roles` instead.
 */
import { ROLES, type Role } from '../../contract/vocabulary.ts'

/** Role → phrases in lower case, without accents and punctuation. A phrase may stand under several roles. */
const PHRASES: Readonly<Record<Exclude<Role, 'other'>, string>> = {
  founder: `
    founder, founders, cofounder, cofounders, co founder, co founders, foundress, cofounding,
    founder ceo, founding partner, founding managing partner, founding ceo, founding cto,
    creator and founder, co creator, initiator, fundador, fundadora, cofundador, cofundadora`,
  executive: `
    ceo, cto, coo, cfo, cmo, cpo, cro, cbo, cio, ciso, cso, clo, cco, cdo, cgo, cao, chro, cxo,
    founder ceo, founding ceo, founding cto, chief, chief executive, chief executive officer, chief of staff,
    chief technology officer, chief technical officer, chief operating officer, chief operations officer,
    chief financial officer, chief marketing officer, chief product officer, chief revenue officer,
    chief business officer, chief commercial officer, chief growth officer, chief legal officer,
    chief compliance officer, chief risk officer, chief security officer, chief information officer,
    chief information security officer, chief strategy officer, chief investment officer,
    chief people officer, chief community officer, chief research officer, chief scientific officer,
    chief scientist, chief economist, chief architect, chief engineer, chief analyst,
    president, vice president, vp, svp, evp, avp, managing director, executive director, general director,
    general manager, country manager, chair, chairman, chairwoman, chairperson, board member,
    board director, owner, ^ director $, ^ managing partner $, founding managing partner`,
  investor: `
    investor, investors, investment, investments, investing, venture, ventures, venture capital,
    venture capitalist, vc, angel, angel investor, allocator, limited partner, lp, general partner, gp,
    partner, partners, managing partner, ^ managing partner $, founding partner, founding managing partner,
    venture partner, operating partner, investment partner, investment director, investment manager,
    investment associate, investment analyst, principal, portfolio, portfolio manager, fund manager,
    hedge fund, asset management, chief investment officer, entrepreneur in residence, scout, deal flow`,
  engineering: `
    engineer, engineers, engineering, software engineer, product engineer, growth engineer, security engineer,
    security researcher, founding engineer, principal engineer, principal software engineer, principal architect,
    principal developer, research engineer, chief engineer, chief architect, developer, developers, dev, devs,
    programmer, coder, architect, architecture, cto, founding cto, chief technology officer,
    chief technical officer, technical lead, technical director, technical co founder, tech lead, tech,
    technology, software, backend, back end, frontend, front end, fullstack, full stack, protocol,
    blockchain lead, smart contract, smart contracts, solidity, rust, devops, dev ops, sre, site reliability,
    infrastructure, data engineer, data scientist, machine learning, ml, qa, quality assurance, security,
    security auditor, smart contract auditor, chief security officer, chief information security officer,
    ciso, cryptographer, sysadmin, system administrator, it manager, hacker, white hat, whitehat,
    solutions architect, solutions engineer, sales engineer, partner engineer, validator, node operator, r d`,
  product: `
    product, products, product manager, product owner, product lead, product designer, product director,
    product engineer, cpo, chief product officer, principal product manager, principal designer, designer,
    design, ux, ui, user experience, user interface, art director, creative director, scrum master,
    technical product manager`,
  marketing: `
    marketing, product marketing, growth marketing, partner marketing, marketer, cmo, cgo,
    chief marketing officer, chief growth officer, growth, growth engineer, brand, branding, communication,
    communications, comms, pr, public relations, content, content creator, copywriter, writer, editor,
    social media, seo, advertising, campaign, campaigns, media, press, storyteller, storytelling,
    evangelist, influencer, kol, creative director, youtuber, streamer, podcaster`,
  'business-development': `
    business, business development, business developer, business dev, business partner, biz dev, bizdev, bd,
    bdm, bdr, partnership, partnerships, partnerships manager, partner manager, partner relations, alliances,
    strategic partner, strategic partners, strategic partnerships, sales, sales engineer, sales development,
    account executive, account manager, commercial, revenue, cro, cbo, cco, chief revenue officer,
    chief business officer, chief commercial officer, listing, listings, ecosystem, ecosystem partner,
    ecosystem partnerships, corporate development, institutional coverage, client relations, deal maker`,
  community: `
    community, communities, community manager, community lead, chief community officer, moderator, mod,
    mods, ambassador, ambassadors, developer relations, dev rel, devrel, developer advocate,
    developer evangelist, developer experience, advocate, discord, telegram, event, events, governance,
    delegate, dao, dao steward, dao contributor, grant, grants, education, educator`,
  research: `
    research, researcher, researchers, research engineer, research analyst, security researcher,
    principal researcher, principal scientist, chief research officer, chief scientific officer,
    chief scientist, chief economist, chief analyst, analyst, analysts, analytics, analysis, investment analyst,
    business analyst, economist, economics, tokenomics, token engineer, token design, mechanism design,
    protocol economist, scientist, data scientist, quant, quantitative, quantitative developer, cryptographer,
    cryptography, academic, professor, lecturer, phd, intelligence, insights, r d`,
  operations: `
    operations, operation, ops, coo, cfo, cao, chro, chief of staff, chief operating officer,
    chief operations officer, chief financial officer, chief people officer, finance, financial, treasury,
    treasurer, accountant, accounting, controller, hr, hr business partner, human resources, people,
    people partner, people operations, talent, talent acquisition, recruiter, recruiting, recruitment,
    office manager, program manager, programme manager, project manager, project lead, project coordinator,
    administrator, administrative, administration, executive assistant, personal assistant, founders associate,
    founders office, procurement, support, customer support, customer success, customer service, trader,
    traders, trading, market maker, market making`,
  legal: `
    legal, counsel, general counsel, legal counsel, lawyer, attorney, solicitor, paralegal, compliance,
    compliance officer, chief compliance officer, chief legal officer, clo, regulatory, regulation,
    regulatory affairs, policy, public policy, public affairs, government affairs, government relations,
    aml, kyc, mlro, risk, risk officer, chief risk officer, data protection, privacy`,
}

const ROLES_OF_PHRASE = new Map<string, Role[]>()
for (const role of ROLES) {
  if (role === 'other') continue
  for (const phrase of PHRASES[role].split(',')) {
    const words = phrase.trim().replace(/\s+/g, ' ')
    ROLES_OF_PHRASE.set(words, [...(ROLES_OF_PHRASE.get(words) ?? []), role])
  }
}
const LONGEST_PHRASE = Math.max(...[...ROLES_OF_PHRASE.keys()].map((p) => p.split(' ').length))

/** The roles of a job title, in the order of ROLES. `^` and `$` in a phrase are the title's ends. */
export function rolesFrom(jobTitle: string | null): Role[] {
  if (jobTitle === null) return []
  const words = ['^', ...wordsOf(jobTitle), '$']
  const found = new Set<Role>()
  for (let at = 0; at < words.length; ) {
    let length = Math.min(LONGEST_PHRASE, words.length - at)
    while (length > 0) {
      const roles = ROLES_OF_PHRASE.get(words.slice(at, at + length).join(' '))
      for (const role of roles ?? []) found.add(role)
      if (roles) break
      length--
    }
    at += Math.max(length, 1)
  }
  return found.size > 0 ? ROLES.filter((role) => found.has(role)) : ['other']
}

/** `C.E.O. & Co-Founder's` → ceo, co, founders. */
function wordsOf(title: string): string[] {
  return title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'\u2019]/g, '')
    .replace(/\b([a-z])\.(?=[a-z]\b)/g, '$1')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
}
