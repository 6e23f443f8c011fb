/** Chains as people write them. Sources name one chain in several ways: `eth`, `mainnet` and `ethereum` are Ethereum. */

/** Names by what sources write, in small letters, with spaces and hyphens as `_`. */
const NAMES: Readonly<Record<string, string>> = {
  arb: 'Arbitrum',
  arbitrum: 'Arbitrum',
  arbitrum_one: 'Arbitrum',
  avalanche: 'Avalanche',
  avax: 'Avalanche',
  base: 'Base',
  base_sepolia: 'Base Sepolia',
  bnb: 'BNB Chain',
  bsc: 'BNB Chain',
  celo: 'Celo',
  etc: 'Ethereum Classic',
  eth: 'Ethereum',
  ethereum: 'Ethereum',
  filecoin: 'Filecoin',
  frax: 'Fraxtal',
  ink: 'Ink',
  linea: 'Linea',
  lisk: 'Lisk',
  lisk_sepolia: 'Lisk Sepolia',
  mainnet: 'Ethereum',
  mantle: 'Mantle',
  matic: 'Polygon',
  metal: 'Metal',
  mode: 'Mode',
  optimism: 'Optimism',
  optimism_sepolia: 'Optimism Sepolia',
  polygon: 'Polygon',
  polygon_zkevm: 'Polygon zkEVM',
  redstone: 'Redstone',
  rsk: 'Rootstock',
  scroll: 'Scroll',
  sepolia: 'Sepolia',
  solana: 'Solana',
  soneium: 'Soneium',
  sonic: 'Sonic',
  swell: 'Swellchain',
  unichain: 'Unichain',
  worldchain: 'World Chain',
  worldchain_sepolia: 'World Chain Sepolia',
  zksync: 'ZKsync',
  zksync_era: 'ZKsync',
  zora: 'Zora',
}

/** The chains' usual names, each once; one that isn't known here stays as it is on record. */
export function chainNames(chains: readonly string[]): string[] {
  const names = new Map<string, string>()
  for (const chain of chains) {
    const key = chain.trim().toLowerCase().replace(/[\s-]/g, '_')
    const name = Object.hasOwn(NAMES, key) ? (NAMES[key] ?? chain) : chain
    if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name)
  }
  return [...names.values()]
}
