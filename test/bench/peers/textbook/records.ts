/** Records in the contract's fields, as columns of SQL. */

/** A record as pg gives it: the members that the server itself looks at, and whatever else was selected. */
export interface Row {
  id: string
  companyId?: string | null
  [member: string]: unknown
}

/** A project record, of the table `c`. */
export const PROJECT = `
  c.id, c.name, c.slug, c.company_type as "companyType", c.ticker, c.domain, c.sectors, c.chains, c.size,
  c.logo_url as "logoUrl", c.twitter_handle as "twitterHandle", c.community_link as "communityLink",
  c.discord_url as "discordUrl", c.linkedin_url as "linkedinUrl", c.token_launched as "tokenLaunched",
  c.token_link as "tokenLink", c.ai_summary as "aiSummary", c.followers, c.handle_history as "handleHistory",
  c.twitter_risk as "twitterRisk", c.lifecycle, c.created_at as "createdAt"`

const HEAD = `
  p.id, p.slug, p.first_name as "firstName", p.last_name as "lastName", p.job_title as "jobTitle",
  p.twitter_handle as "twitterHandle", p.avatar_url as "avatarUrl", p.is_creator as "isCreator",
  p.creator_follower_count as "creatorFollowerCount", p.company_id as "companyId"`

const FLAGS = `
  p.created_at as "createdAt", u.person_id is null as "isLocked", p.has_email as "hasEmail",
  p.has_phone as "hasPhone", p.has_telegram as "hasTelegram", p.has_linkedin as "hasLinkedin"`

const COMPANY = `(select to_json(r) from (select ${PROJECT} from companies c where c.id = p.company_id) r) as company`

const CHANNELS = 'v.email, v.phone, v.telegram, v.linkedin_url as "linkedinUrl"'
const NO_CHANNELS = 'null as email, null as phone, null as telegram, null as "linkedinUrl"'

/** Whether the account unlocked the person, and the channels of those that it did. */
const UNLOCKED = 'left join unlocks u on u.account_id = $1 and u.person_id = p.id'
const WITH_CHANNELS = `${UNLOCKED} left join private_channels v on v.person_id = u.person_id`

/**
 * A page of people as lists show them. The page is cut before the rest is looked up, so that nothing is made for rows
 * that it skips. The first parameter is the account that asks.
 * @param page conditions, order, limit and offset of the people `p`
 */
export function selectPersonItems(page: string, order: string): string {
  return `select ${HEAD}, ${COMPANY}, ${FLAGS}, ${NO_CHANNELS}
            from (select p.* from people p ${page}) p ${UNLOCKED} order by ${order}`
}

/** Statements up to `where`. Where they show people, the first parameter is the account that asks. */
export const SELECT_PERSON_MEMBER = `select ${HEAD}, ${FLAGS}, ${CHANNELS} from people p ${WITH_CHANNELS}`
export const SELECT_PERSON_DETAIL = `
  select ${HEAD}, ${COMPANY}, ${FLAGS}, ${CHANNELS}, p.roles, p.contact_type as "contactType",
         p.updated_at as "updatedAt"
    from people p ${WITH_CHANNELS}`
export const SELECT_PROJECT = `select ${PROJECT} from companies c`

export const SELECT_ROUNDS = `
  select f.round_type as "roundType", f.round_event_name as "roundEventName", f.amount_usd as "amountUsd",
         f.announce_date as "announceDate",
         coalesce((select json_agg(json_build_object('id', c.id, 'name', c.name, 'slug', c.slug, 'isLead', i.is_lead)
                                   order by i.is_lead desc, lower(c.name))
                     from round_investors i join companies c on c.id = i.investor_id
                    where i.round_id = f.id), '[]') as investors
    from funding_rounds f where f.company_id = $1 order by f.announce_date desc nulls last, f.id`

export const BY_PERSON_NAME = `lower(coalesce(p.first_name, '') || ' ' || coalesce(p.last_name, '')), p.id`
