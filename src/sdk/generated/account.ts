// Made by `bun run sdk` from src/contract. Changes go there.

/** A live endpoint and its price. */
export interface PricedEndpoint {
  /** HTTP method. */
  method: 'GET'
  /** Path, with its parameter in braces. */
  path: string
  /** What it answers. */
  summary: string
  /** Credits of a call. */
  credits: number
}

/** Tier of an account. */
export type Tier = 'free' | 'starter' | 'pro' | 'team' | 'enterprise'

/** What a key may do. */
export type Scope = 'read:metadata' | 'read:contacts'

/** What the key may spend. */
export interface KeyCap {
  /** Credits that it may spend in each period. */
  credits: number
  /** The period: a day or a month of UTC. */
  period: 'day' | 'month'
  /** Credits spent in this period, also by keys that it was rotated from or to. */
  spent: number
  /** When the next period begins. */
  renewsAt: string
}

/** The key that the call was made with. */
export interface ApiKey {
  /** Label given to the key. */
  label: string
  /** Its beginning, for display. */
  prefix: string
  /** What the key may do. */
  scopes: Scope[]
  /** Environment of the key, for example live. */
  environment: string
  /** Only of a key that has an end: when it stops. */
  expiresAt?: string
  /** What the key may spend. */
  cap?: KeyCap
  /** Only of a key that has some: the networks that it may be used from. */
  networks?: string[]
}

/** The price list in short. */
export interface Pricing {
  /** What is charged. */
  currency: 'credits'
  /** Credits of a data call. */
  basicCallCredits: 5
  /** Credits of the first reveal of a contact. */
  privateCallCredits: 10
  /** The same in words. */
  note: string
}

/** What the call cost. */
export interface Meta {
  /** Credits that this call took. */
  creditsCharged: number
  /** Balance after the call; below zero only where there is no ceiling. */
  creditsBalance: number
}

/** The account, its balance and the price list. */
export interface Account {
  /** The build that answers; the same as the header Service-API-Version. */
  apiVersion: string
  /** Where to send every other call. */
  baseUrl: string
  /** Where the documentation is. */
  docs: string
  /** Every live endpoint. */
  endpoints: PricedEndpoint[]
  /** Identifier of the account. */
  id: string
  /** The account holder's name. */
  name: string
  /** The account holder's e-mail address. */
  email: string
  /** Tier of an account. */
  tier: Tier
  /** Whether data calls are answered with samples: free tier and too few credits. */
  sampleMode: boolean
  /** Name of the workspace, or the service's own name. */
  organization: string
  /** Credits available now; below zero only where there is no ceiling. */
  creditsBalance: number
  /** Only present where the account has no credit ceiling. */
  unlimited?: true
  /** The key that the call was made with. */
  apiKey: ApiKey
  /** The price list in short. */
  pricing: Pricing
  /** What the call cost. */
  meta: Meta
}

/** What the call would have cost. */
export interface SampleMeta {
  /** A sample costs nothing. */
  creditsCharged: 0
  /** The current balance. */
  creditsBalance: number
  /** Credits of the live call; less the balance, it is the top-up needed. */
  creditsRequired: number
  /** Marks a sample. */
  sample: true
  /** Where to get credits. */
  upgradeUrl: string
}
