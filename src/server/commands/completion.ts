/** `completion`: a script for a shell, by which Tab completes commands, options, their words and files. */
import { Argument, type Command } from 'commander'
import { type Result, reporting, subcommand } from './command.ts'
import { bashScript } from './completion/bash.ts'
import { fishScript } from './completion/fish.ts'
import { placesOf } from './completion/places.ts'
import { zshScript } from './completion/zsh.ts'
import { parseChoice } from './parsers.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }
const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[]

export function registerCompletion(program: Command) {
  subcommand(program, 'completion', 'a script by which the shell completes commands and options')
    .addArgument(new Argument('<shell>', SHELLS.join(', ')).argParser(parseChoice(SHELLS)))
    .addHelpText('after', HELP)
    .action(
      reporting(async (shell: keyof typeof SCRIPTS): Promise<Result> => {
        const text = SCRIPTS[shell](placesOf(program)).trimEnd()
        return { json: { shell, text }, text }
      }),
    )
}

const HELP = `
  bash   echo 'source <(chainkin completion bash)' >> ~/.bashrc
  zsh    echo 'source <(chainkin completion zsh)' >> ~/.zshrc      # behind compinit
  fish   chainkin completion fish > ~/.config/fish/completions/chainkin.fish

The script starts no program while you type. Make it anew after an upgrade.`
