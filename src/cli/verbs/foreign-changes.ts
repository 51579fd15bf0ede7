import type { MoveDiff } from '../../contracts/observations.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { changeWords, commitsWords, shortOid } from '../../domain/integration/external-changes.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { safeText, spelledOut } from '../../domain/words/safe-text.ts'
import { zonedTime } from '../../domain/words/time.ts'
import { listHosts } from '../../operations/hosts/list.ts'
import { type GuardView, readGuard } from '../../operations/integration/configuration.ts'
import {
  acceptCheckout,
  acceptTarget,
  putBackTarget,
  trustConfiguration,
} from '../../operations/integration/drift-answers.ts'
import { type CheckoutChangeView, readWatched, type TargetMoveView } from '../../operations/integration/drift.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { act, perform } from '../../operations/perform/perform.ts'
import { type Answer, type Call, given, open } from '../call/command.ts'
import { askForName, needLogin, refuseAgent } from '../call/confirmation.ts'
import { blocks, section } from '../print/columns.ts'

// Changes by other programs: every caller may see them, but only a person accepts or reverts them.

/** The moves of targets that wait for a person, each with its diff. */
export const showTargets = async (call: Call, target: string | undefined): Promise<Answer> => {
  const { core, actor, outside } = await open(call)
  const { targets, moves } = await perform(core, readWatched, {}, actor)
  if (target !== undefined && !targets.some((one) => one.target === target))
    throw new Refusal(
      'not_found',
      `${target} is not a target branch of aiswarm. The targets are ${targets.map((one) => one.target).join(', ')}.`,
    )
  const shown = moves.filter((move) => target === undefined || move.target === target)
  const texts = await Promise.all(shown.map(async (move) => movePreview(move, await outside.readMove(move))))
  return {
    json: { moves: shown },
    text:
      texts.length === 0
        ? `${target === undefined ? 'No target branch has' : `${target} has not`} moved since aiswarm or a person last set it.`
        : blocks(texts),
  }
}

export const acceptMove = async (call: Call, target: string): Promise<Answer> => {
  const { connection, move } = await asked(call, target, {
    verb: 'accept a moved target',
    gerund: `Accepting ${target}`,
  })
  await askForName(
    call,
    target,
    movePreview(move, await connection.outside.readMove(move)),
    `Accept ${target} at ${shortOid(move.to)}? Type the name of the branch:`,
  )
  const json = await act(connection, acceptTarget, { target, to: move.to })
  return { json, text: `${target} is accepted at ${shortOid(move.to)}.` }
}

export const putBackMove = async (call: Call, target: string): Promise<Answer> => {
  const { connection, move } = await asked(call, target, {
    verb: 'put a target back',
    gerund: `Putting ${target} back`,
  })
  const shown = movePreview(move, await connection.outside.readMove(move))
  await askForName(
    call,
    target,
    shown,
    `Put ${target} back to ${shortOid(move.from)}, and keep the other commits in refs/aiswarm/archive? Type the name of the branch:`,
  )
  const json = await act(connection, putBackTarget, { target, to: move.to })
  return {
    json,
    text: `${target} is back at ${shortOid(move.from)}; 'git for-each-ref refs/aiswarm/archive/target.${target}' lists the archived commits.`,
  }
}

export const showCheckout = async (call: Call): Promise<Answer> => {
  const { core, actor } = await open(call)
  const { checkout } = await perform(core, readWatched, {}, actor)
  return {
    json: { checkout },
    text: checkout === null ? 'No changes in the main checkout need you.' : checkoutPreview(checkout),
  }
}

export const acceptChanges = async (call: Call): Promise<Answer> => {
  const connection = await open(call)
  refuseAgent(call, connection, 'accept changes in the main checkout')
  const { checkout } = await perform(connection.core, readWatched, {}, connection.actor)
  if (checkout === null) throw new Refusal('invalid_state', 'No changes in the main checkout need you.')
  await needPerson(call, connection, 'Accepting changes in the main checkout')
  await askForName(call, 'accept', checkoutPreview(checkout), "Accept these changes? Type 'accept':")
  const json = await act(connection, acceptCheckout, { changes: checkout.changes })
  return { json, text: 'These changes are accepted.' }
}

const asked = async (
  call: Call,
  target: string,
  { verb, gerund }: { readonly verb: string; readonly gerund: string },
): Promise<{ connection: Connection; move: TargetMoveView }> => {
  const connection = await open(call)
  refuseAgent(call, connection, verb)
  const { moves } = await perform(connection.core, readWatched, {}, connection.actor)
  const move = moves.find((one) => one.target === target)
  if (!move)
    throw new Refusal(
      'invalid_state',
      `${target} has not moved since aiswarm or a person last set it, so there is nothing to accept or put back.`,
    )
  await needPerson(call, connection, gerund)
  return { connection, move }
}

const needPerson = async ({ streams }: Call, connection: Connection, gerund: string): Promise<void> => {
  if (!streams.stdinIsTerminal)
    throw new Refusal(
      'needs_terminal',
      `${gerund} needs a person at a terminal. Use one, or the inbox of the console ('aiswarm').`,
    )
  await needLogin(connection, gerund)
}

const movePreview = (
  { target, from, to, commits, agents, since, problem }: TargetMoveView,
  { text, complete }: MoveDiff,
): string =>
  blocks([
    `${target} moved from ${shortOid(from)} to ${shortOid(to)} (noticed at ${zonedTime(since)}); aiswarm did not move it.`,
    `Agents that ran at the time, or had just ended: ${agents.map((id) => safeText(id)).join(', ')}. One of them, you or another program may have moved it.`,
    problem === null ? '' : `Not put back: ${safeText(problem)}`,
    section(
      `Commits: ${commitsWords(commits)}`,
      commits.newest.flatMap((line) => [...spelledOut(line)]),
    ),
    section(
      'Changes',
      text
        .trimEnd()
        .split('\n')
        .filter((line) => line !== '')
        .flatMap((line) => [...spelledOut(line)]),
    ),
    text === '' && complete ? 'Both commits have the same files.' : '',
    complete ? '' : `The diff is not complete; 'git diff ${shortOid(from)} ${shortOid(to)}' shows it.`,
  ])

const checkoutPreview = ({ changes, agents }: CheckoutChangeView): string =>
  blocks([
    `Agents that ran in worktrees of their own when the main checkout changed: ${agents.map((id) => safeText(id)).join(', ')}. One of them or you may have made the changes; aiswarm cannot tell.`,
    section(
      'Files',
      changes.flatMap((change) => [...spelledOut(changeWords(change))]),
    ),
  ])

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
