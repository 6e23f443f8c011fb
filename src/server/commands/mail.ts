/** `mail test` */
import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { MailNotSent, openMailServer } from '../../people/users/mail.ts'
import { Refusal, reporting, subcommand } from './command.ts'
import { parseEmail } from './parsers.ts'

export function registerMail(program: Command) {
  const mail = program.command('mail').description('the mail server of SMTP_URL')

  subcommand(mail, 'test', 'send a mail at once, and say what the server answers')
    .argument('<email>', 'where to', parseEmail)
    .action(reporting(sendTest))
}

async function sendTest(email: string) {
  const config = readConfig(process.env)
  const server = await openMailServer(config)
  if (!server) throw new Refusal('SMTP_URL is not set, so no mail is sent')
  const { serviceName } = config
  const answer = await server
    .send({
      to: email,
      subject: `A test mail of ${serviceName}`,
      text: `The operator of ${serviceName} sent this mail to see whether mails arrive.\n`,
    })
    .catch((error: unknown) => {
      if (!(error instanceof MailNotSent) || error.said === '') throw error
      throw new Refusal(`${error.message}. The server said: ${error.said}`)
    })
  return { json: { to: email, answer }, text: `the mail server took a mail to ${email}: ${answer}` }
}
