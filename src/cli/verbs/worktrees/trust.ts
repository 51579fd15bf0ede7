import { Refusal } from '../../../domain/rules/refusal.ts'
import { LOCAL } from '../../../domain/host/host.ts'
import { spelledOut } from '../../../domain/words/safe-text.ts'
import type { Connection } from '../../../operations/door/connection.ts'
import { perform } from '../../../operations/door/perform.ts'
import { listHosts } from '../../../operations/hosts/list-hosts.ts'
import { type GuardView, readGuard } from '../../../operations/integration/read-guard.ts'
import { trustConfiguration } from '../../../operations/integration/trust-configuration.ts'
import { askForName } from '../../call/ask-for-name.ts'
import { type Answer, type Call, given, open } from '../../call/command.ts'
import { needLogin } from '../../call/need-login.ts'
import { refuseAgent } from '../../call/refuse-agent.ts'
import { blocks, section } from '../../print/columns.ts'

/** Shows the changes of the configuration that git and aiswarm obey here, and asks a person to accept them. */
export const trust = async (call: Call, named: string | undefined): Promise<Answer> => {
  const connection = await open(call)
  const { core, actor } = connection
  const { guard, host } = await guardToTrust(connection, named)
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
  await askForName(
    call,
    'accept',
    configurationPreview(guard.changed, host),
    "Accept exactly these lines? Type 'accept':",
  )
  await perform(core, trustConfiguration, { hash, ...given('host', host) }, actor)
  return {
    json: { trusted: true, changes: lines },
    text:
      host === undefined
        ? 'The configuration is accepted; integrations continue.'
        : `The configuration of the clone on host ${host} is accepted.`,
  }
}

/** The main checkout, or the clone of a host that is named or has changes. */
const guardToTrust = async (
  { core, actor }: Connection,
  named: string | undefined,
): Promise<{ readonly guard: GuardView; readonly host?: string }> => {
  const guardOf = (host: string | undefined) => perform(core, readGuard, given('host', host), actor)
  if (named !== undefined) {
    const guard = await guardOf(named)
    if (guard === null)
      throw new Refusal('not_found', `Nothing is known of the clone on host ${named}: no worker has run there yet.`)
    return { guard, host: named }
  }
  const main = (await guardOf(undefined))!
  if (main.changed) return { guard: main }
  for (const { id, name } of await perform(core, listHosts, {}, actor)) {
    const guard = id === LOCAL ? null : await guardOf(id)
    if (guard?.changed) return { guard, host: name }
  }
  return { guard: main }
}

const configurationPreview = ({ lines, since }: NonNullable<GuardView['changed']>, host: string | undefined): string =>
  blocks([
    `The configuration of the ${host === undefined ? 'repository' : `clone on host ${host}`} has changed (first seen at ${since}). git and aiswarm would run what is listed here.`,
    section(
      'Changes',
      lines.flatMap((line) => [...spelledOut(line)]),
    ),
  ])
