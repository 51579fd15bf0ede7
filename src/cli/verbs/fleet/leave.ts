import { Refusal } from '../../../domain/rules/refusal.ts'
import { someOf } from '../../../domain/words/counts.ts'
import { forgetHost } from '../../../operations/hosts/forget-host.ts'
import { loseHost } from '../../../operations/hosts/lose-host.ts'
import { perform } from '../../../operations/door/perform.ts'
import { type Answer, type Call, open } from '../../call/command.ts'
import { askOrNothing } from '../../call/ask-for-name.ts'
import { refuseAgent } from '../../call/refuse-agent.ts'

/** Asks for a word at the terminal, unless `yes`; refuses if a person types another one. */
export const refuseUnlessMeant = async (
  call: Call,
  {
    word,
    what,
    above,
    yes,
  }: { readonly word: string; readonly what: string; readonly above: string; readonly yes: boolean },
): Promise<void> => {
  if (yes) return
  if (!call.streams.stdinIsTerminal)
    throw new Refusal('needs_terminal', `${what} needs an answer at a terminal, or --yes.`)
  if ((await askOrNothing(call, `Type ${word} to continue: `, above)).trim() !== word)
    throw new Refusal('not_allowed', `'${word}' was not typed, so nothing was done.`)
}

export const declareLost = async (call: Call, named: string, yes: boolean): Promise<Answer> => {
  const connection = await open(call)
  refuseAgent(call, connection, 'declare a host lost')
  const above = `Agents on host ${named} do not count any more, and what it has not pushed is out of reach until it comes back.`
  await refuseUnlessMeant(call, { word: 'lost', what: 'Declaring a host lost', above, yes })
  const lost = await perform(connection.core, loseHost, { host: named }, connection.actor)
  return {
    json: lost,
    text: `Host ${lost.name} is lost. ${lost.ended.length === 0 ? 'No agent ran there.' : `Ended: ${lost.ended.join(', ')}; ${lost.ended.length === 1 ? 'its task is' : 'their tasks are'} pending again.`}`,
  }
}

export const forget = async (call: Call, named: string, yes: boolean): Promise<Answer> => {
  const connection = await open(call)
  refuseAgent(call, connection, 'remove a host from the board')
  const above = `The clone of host ${named} writes nothing on the board any more. It comes back only with a new code.`
  await refuseUnlessMeant(call, { word: 'forget', what: 'Removing a host', above, yes })
  const { core, actor } = connection
  const { id, name, worktrees } = await perform(core, forgetHost, { host: named }, actor)
  const ended = (await core.store.maintenance.endSessions?.(id)) ?? 0
  const kept = worktrees.flatMap(({ ref }) => (ref === null ? [] : [ref]))
  const work =
    worktrees.length === 0
      ? ''
      : ` Ended with it: ${someOf(
          worktrees.map((one) => one.name),
          5,
        )}; ${kept.length === 0 ? 'nothing of them was pushed.' : `the git remote has ${kept.join(', ')}.`}`
  return {
    json: { id, name, worktrees, endedConnections: ended },
    text: `Host ${name} is forgotten. Connections of it that were ended: ${ended}.${work}`,
  }
}
