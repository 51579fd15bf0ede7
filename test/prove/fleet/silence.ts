import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { setSnapshots } from '../../../src/operations/hosts/remote.ts'
import { agentsOf } from '../../support/processes.ts'
import type { Figures } from '../proof.ts'
import { onHosts, type Trial, until } from './trial.ts'

// Hosts that are silent, with the times that docs/fleet.md names, and what each of them and the others do as it passes.

const MINUTE = 60_000

/** Reports progress this often (s), also while the board cannot be reached. */
const NOTES = 20

/**
 * Commits once a second, and leaves files that it never commits, until there is a file for its end. Its notes have the time
 * at which they were made.
 */
const committing = [
  'echo "start $AISWARM_TASK_ID $(date +%s%3N)" >> "$HOME/diary"',
  'echo loose > loose.txt',
  'note() { at=$(date +%s%3N); aiswarm task progress "$AISWARM_TASK_ID" --note "noted at $at" >/dev/null 2>&1; echo "$at" >> "$HOME/noted"; }',
  'n=0; until [ -e done ]; do n=$((n + 1)); echo $n > count.txt; git add count.txt; git commit -qm "Count $n"',
  `date +%s > now.txt; [ $((n % ${NOTES})) -ne 1 ] || note & sleep 1; done`,
  'wait; rm -f done now.txt',
].join('; ')

export const runSilence = (): Promise<Figures> =>
  onHosts({}, async (trial) => {
    for (const [worktree, host] of [
      ['four', 'b'],
      ['ten', 'c'],
    ] as const)
      await trial.worktree(worktree, host)
    const [four, ten] = [await trial.task('four', committing), await trial.task('ten', committing)]
    await started(trial, 'b', four)
    await started(trial, 'c', ten)
    await cutOff(trial, four, ten)
    await switchedOff(trial)
  })

const started = async (trial: Trial, name: string, task: number): Promise<void> => {
  const begun = (): boolean => trial.diary(name).some((line) => line.startsWith(`start ${task} `))
  if ((await until(MINUTE, begun)) === undefined) throw new Error(`task ${task} did not start on ${name}`)
}

const stateOf = async (trial: Trial, host: string) => (await trial.hosts()).find(({ name }) => name === host)!

/** Cuts b off for four minutes, and c for ten. */
const cutOff = async (trial: Trial, four: number, ten: number): Promise<void> => {
  const [b, c] = [trial.lab.machines['b']!, trial.lab.machines['c']!]
  // Each has made notes that the board has.
  await sleep(1.5 * NOTES * 1000)
  const [began, from] = [performance.now(), Date.now()]
  const after = (): number => performance.now() - began
  for (const { net } of [b, c]) net!.link(false)
  await sleep(4 * MINUTE)
  const to = Date.now()
  b.net!.link(true)
  await untilBack(trial, four, { from, to })
  const isPaused = (): boolean => agentsOf(c.root).length > 0 && agentsOf(c.root).every(isStopped)
  await until(3 * MINUTE, isPaused)
  const paused = after()
  await until(3 * MINUTE, async () => (await stateOf(trial, 'c')).state === 'lost')
  const lost = after()
  trial.tenths('cut off for ten, until its agents are paused', paused)
  trial.tenths('until it is lost', lost)
  if (paused >= lost || lost - paused > 35_000)
    trial.violations.push(`agents were paused at ${paused} ms, the host lost at ${lost} ms`)
  trial.tenths(
    'until its task runs elsewhere',
    await trial.need('its task runs elsewhere', MINUTE, () =>
      ['a', 'b'].some((name) => trial.diary(name).some((line) => line.startsWith(`start ${ten} `))),
    ),
  )
  await sleep(Math.max(0, 10 * MINUTE - after()))
  const there = git(c.root, 'rev-parse', 'ten')
  c.net!.link(true)
  trial.tenths(
    'back after ten minutes, until it works again',
    await trial.need('back after ten minutes', MINUTE, async () => (await stateOf(trial, 'c')).state === 'up'),
  )
  await until(MINUTE, () => returnedRef(trial) !== '')
  const [remote, ref] = [trial.lab.remote.folder, returnedRef(trial)]
  if (ref === '' || git(remote, 'show', `${ref}:loose.txt`) !== 'loose')
    trial.violations.push('the uncommitted file of the host that came back is in no ref of the remote')
  if (ref === '' || git(remote, 'merge-base', there, ref) !== there)
    trial.violations.push('commits of the host that came back are in no ref of the remote')
}

const returnedRef = ({ lab }: Trial): string =>
  git(lab.remote.folder, 'for-each-ref', '--format=%(refname)', 'refs/aiswarm/returned').split('\n')[0]!

/** The host that was cut off for four minutes continues: with the same attempt, and with the notes that were made meanwhile. */
const untilBack = async (
  trial: Trial,
  task: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> => {
  const heard = await trial.need('cut off for four minutes', MINUTE / 2, async () => {
    const { state, beat_at: at } = await stateOf(trial, 'b')
    return state === 'up' && Date.now() - Date.parse(at!) < 5000
  })
  trial.tenths('cut off for four minutes, until it is heard of', heard)
  trial.lab.machines['b']!.sh('touch ../four/done')
  trial.tenths('its agent has completed its task', await trial.ends('the task of b', [task], MINUTE))
  const made = trial.diary('b', 'noted').map(Number)
  const meanwhile = made.filter((at) => at > from && at < to)
  const delivered = async (): Promise<readonly { at: number; logged: number }[]> =>
    (await trial.store.read.selectFrom('task_logs').where('task_id', '=', task).selectAll().execute()).flatMap(
      ({ message, logged_at: logged }) => {
        const at = Number(/noted at (\d+)/.exec(message)?.[1] ?? NaN)
        return Number.isNaN(at) ? [] : [{ at, logged: Date.parse(logged) }]
      },
    )
  await until(MINUTE / 2, async () => (await delivered()).length >= made.length)
  const notes = await delivered()
  const late = notes.filter(({ at }) => meanwhile.includes(at))
  trial.counts['notes made while it was cut off'] = meanwhile.length
  trial.counts['of these delivered'] = late.length
  trial.counts['ms between such a note and the time of it on the board, at most'] = Math.max(
    0,
    ...late.map(({ at, logged }) => Math.abs(logged - at)),
  )
  if (meanwhile.length < 5 || late.length !== meanwhile.length || notes.length !== made.length)
    trial.violations.push(
      `${notes.length} of ${made.length} notes are on the board, ${late.length} of these made meanwhile`,
    )
  if (late.some(({ at, logged }) => logged > at + 10_000))
    trial.violations.push('a note has the time of its delivery, not its own')
}

/** Switches b off in the middle of its work, with snapshots; lost is what it had not pushed. */
const switchedOff = async (trial: Trial): Promise<void> => {
  await perform(trial.core, setSnapshots, { on: true }, person)
  const b = trial.lab.machines['b']!
  const task = await trial.task('four', committing)
  await started(trial, 'b', task)
  await sleep(2.5 * MINUTE)
  await b.off()
  const remote = trial.lab.remote.folder
  const time = (folder: string, ref: string): number => Number(git(folder, 'log', '-1', '--format=%ct', ref))
  const commits = time(b.root, 'four') - time(remote, 'refs/aiswarm/work/four')
  const { id } = await stateOf(trial, 'b')
  const files =
    Number(readFileSync(join(b.root, '../four/now.txt'), 'utf8')) -
    Number(git(remote, 'show', `refs/aiswarm/wip/${id}/four:now.txt`))
  trial.tenths('switched off, commits that were not pushed', commits * 1000)
  trial.tenths('uncommitted work that was not pushed', files * 1000)
  if (commits > 65) trial.violations.push(`${commits} s of commits were only on the host that was switched off`)
  if (!(files <= 65))
    trial.violations.push(`${files} s of uncommitted work were only on the host that was switched off`)
}

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim()

const isStopped = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.startsWith('T')
  } catch {
    return true
  }
}
