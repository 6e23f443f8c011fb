// Run by Node: the client is plain JavaScript there, and needs no network to say what it would send.
import { Chainkin, ChainkinError, isChainkinError } from 'chainkin/sdk'

const asked = []
const fetch = async (url) => {
  asked.push(url)
  const meta = { creditsCharged: 5, creditsBalance: 95 }
  return new Response(JSON.stringify({ project: { name: 'Aurora' }, team: [], meta }))
}
const chainkin = new Chainkin({ url: 'https://api.example', key: 'ck_live_x', fetch })
const { project, call } = await chainkin.getProject('aurora')
console.log(JSON.stringify([project.name, call.charged, call.balance, asked]))
if (!isChainkinError(new ChainkinError('aborted', '', {}))) process.exitCode = 1
