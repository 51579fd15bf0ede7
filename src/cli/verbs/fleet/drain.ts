import type { Connection } from '../../../operations/door/connection.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'
import { countOf } from '../../../domain/words/counts.ts'
import { duration } from '../../../domain/words/time.ts'
import { changeHost } from '../../../operations/hosts/change-host.ts'
import { readUnpushed } from '../../../operations/hosts/read-unpushed.ts'
import { listHosts, type HostView } from '../../../operations/hosts/list-hosts.ts'
import { perform } from '../../../operations/door/perform.ts'
import { type Answer, type Call, open } from '../../call/command.ts'
import { exitCodes } from '../../call/exit-codes.ts'
import { GLANCE, patiently } from '../../call/follow.ts'

/** Lets a host finish; with `wait` ms returns when it has, or after that time. */
export const drain = async (
  call: Call,
  named: string,
  { wait, untilStart }: { readonly wait: number | undefined; readonly untilStart: boolean },
): Promise<Answer> => {
  const connection = await open(call)
  const { core, actor } = connection
  const known = (await perform(core, listHosts, {}, actor)).find(({ id, name }) => id === named || name === named)
  // A second request waits too, and a person's drain stays one.
  const isDraining = known?.state === 'draining' && (untilStart || (wait !== undefined && !known.resumesOnStart))
  const host = isDraining ? known : await perform(core, changeHost, { host: named, to: 'drain', untilStart }, actor)
  if (wait === undefined)
    return {
      json: host,
      text: `Host ${host.name} starts nothing new; ${host.running === 0 ? 'no agent runs there' : `${countOf(host.running, 'agent')} ${host.running === 1 ? 'finishes its' : 'finish their'} work`}.`,
    }
  const until = performance.now() + wait
  const asked = patiently(call)
  for (;;) {
    const left = await asked(() => leftOn(connection, host.id))
    if (left?.running === 0 && left.unpushed.length === 0)
      return {
        json: { ...left.host, finished: true, unpushed: [] },
        text: `Host ${host.name} starts nothing new, and has finished.`,
      }
    const rest = until - performance.now()
    if (rest <= 0 || call.streams.signal?.aborted)
      return {
        json: { ...(left?.host ?? host), finished: false, unpushed: left?.unpushed ?? null },
        text: left
          ? `Host ${host.name} has not finished within ${duration(wait)}: ${leftText(left)}. It starts nothing new.`
          : `Host ${host.name} starts nothing new; whether it has finished is not known, because the board does not answer.`,
        code: exitCodes.unsettled,
      }
    await call.services.nextChange(connection, Math.min(GLANCE, rest))
  }
}

interface Left {
  readonly host: HostView
  readonly running: number
  /** Worktrees whose last commits are not on the git remote yet. */
  readonly unpushed: readonly string[]
}

const leftOn = async ({ core, actor }: Connection, id: string): Promise<Left> => {
  const host = (await perform(core, listHosts, {}, actor)).find((one) => one.id === id)
  if (host === undefined || host.state !== 'draining')
    throw new Refusal(
      'invalid_state',
      `Host ${host?.name ?? id} is ${host?.state ?? 'gone'} now, so it is not waited for.`,
    )
  return { host, running: host.running, unpushed: await perform(core, readUnpushed, { hostId: id }, actor) }
}

const leftText = ({ running, unpushed }: Left): string =>
  [
    ...(running > 0 ? [`${countOf(running, 'agent')} still ${running === 1 ? 'works' : 'work'}`] : []),
    ...(unpushed.length > 0 ? [`commits in ${unpushed.join(', ')} are not pushed`] : []),
  ].join(', and ')
