import { Refusal } from '../../../domain/rules/refusal.ts'
import { spelledOut } from '../../../domain/words/safe-text.ts'
import { perform } from '../../../operations/door/perform.ts'
import { type GuardView, readGuard } from '../../../operations/integration/read-guard.ts'
import { trustConfiguration } from '../../../operations/integration/trust-configuration.ts'
import { askForName } from '../../call/ask-for-name.ts'
import { type Answer, type Call, open } from '../../call/command.ts'
import { needLogin } from '../../call/need-login.ts'
import { refuseAgent } from '../../call/refuse-agent.ts'
import { blocks, section } from '../../print/columns.ts'

/** Shows the changes of the configuration that git and aiswarm obey here, and asks a person to accept them. */
export const trust = async (call: Call): Promise<Answer> => {
  const connection = await open(call)
  const { core, actor } = connection
  const guard = (await perform(core, readGuard, {}, actor))!
  if (!guard.changed)
    return {
      json: { trusted: true, changes: [] },
      text: `The configuration, hooks and attributes of the repository, and aiswarm's own configuration, have not changed since ${guard.acceptedBy === 'human' ? 'you accepted them' : 'aiswarm first read them'}.`,
    }
  const { hash, lines } = guard.changed
  refuseAgent(call, connection, 'accept a changed configuration')
  if (!call.streams.stdinIsTerminal) {
    throw new Refusal(
      'needs_terminal',
      `Accepting a changed configuration needs a person at a terminal. Use one, or the inbox of the console ('aiswarm'). It has ${lines.length} changed lines; the first is '${lines[0] ?? ''}'.`,
    )
  }
  await needLogin(connection, 'Accepting a changed configuration')
  await askForName(call, 'accept', preview(guard.changed), "Accept exactly these lines? Type 'accept':")
  await perform(core, trustConfiguration, { hash }, actor)
  return { json: { trusted: true, changes: lines }, text: 'The configuration is accepted; integrations continue.' }
}

const preview = ({ lines, since }: NonNullable<GuardView['changed']>): string =>
  blocks([
    `The configuration of the repository has changed (first seen at ${since}). git and aiswarm would run what is listed here.`,
    section(
      'Changes',
      lines.flatMap((line) => [...spelledOut(line)]),
    ),
  ])
