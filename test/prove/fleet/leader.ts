import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figures, Share } from '../proof.ts'
import { HOSTS, onHosts, type Trial, until } from './trial.ts'

// The process that plans for the board ends in every way, and what each of them says about the time until another one plans.

const KILLS = 10
const HANDOVERS = 5
const STOPPED = 60_000

/** How long work may wait for a process that plans: after a kill, and after a normal end (ms). */
const AFTER_KILL = 13_000
const AFTER_END = 1000

export const runLeader = (share: Share): Promise<Figures> =>
  onHosts({}, async (trial) => {
    for (const name of HOSTS) await trial.worktree(`of-${name}`, name)
    const killed: number[] = []
    for (let n = 0; n < share.of(KILLS); n++) killed.push(await afterEnd(trial, 'SIGKILL'))
    trial.spread('kills of the process that plans', 'from a kill until the next task starts', killed, AFTER_KILL)
    const ended: number[] = []
    for (let n = 0; n < share.of(HANDOVERS); n++) ended.push(await afterEnd(trial, 'SIGTERM'))
    trial.spread('normal ends of it', 'from the given-back role until the next task starts', ended, AFTER_END)
    await stopped(trial, Math.max(20_000, STOPPED / share.divisor))
  })

/** Ends the process that plans, and returns how long a task of another host waits from then on (ms). */
const afterEnd = async (trial: Trial, signal: 'SIGKILL' | 'SIGTERM'): Promise<number> => {
  const gone = await trial.someLeader()
  const other = HOSTS.find((name) => name !== gone)!
  const worker = trial.workers.get(gone)!
  worker.signal(signal)
  if (signal === 'SIGKILL') await worker.ended
  else await until(60_000, async () => (await trial.leader()) !== gone)
  const task = await trial.task(`of-${other}`, 'date > now.txt')
  const took = await trial.need('the next task', 60_000, async () => (await trial.attempts([task])).length > 0)
  await worker.ended
  await trial.ends('it', [task], 60_000)
  trial.work(gone)
  await trial.allHeard(gone, 60_000)
  return took
}

/**
 * The process that plans is stopped while there is work, and continues. The server notes the address from which each event
 * comes.
 */
const stopped = async (trial: Trial, ms: number): Promise<void> => {
  trial.lab.cluster.sql(`
    CREATE TABLE board.origins (event bigint, operation text, address inet);
    CREATE FUNCTION board.note_origin() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO board.origins VALUES (NEW.id, NEW.operation, inet_client_addr()); RETURN NULL; END $$;
    CREATE TRIGGER note_origin AFTER INSERT ON board.events FOR EACH ROW EXECUTE FUNCTION board.note_origin();
  `)
  const leader = await trial.someLeader()
  const others = HOSTS.filter((name) => name !== leader)
  const give = (names: readonly string[]): Promise<number[]> =>
    Promise.all(names.map((name) => trial.task(`of-${name}`, 'date > then.txt')))
  // It is stopped in the middle of what it does for these.
  const during = await give(others)
  trial.workers.get(leader)!.signal('SIGSTOP')
  const began = performance.now()
  const took = await trial.ends('stopped, until the tasks of others are done', during, 30_000)
  trial.counts['ms stopped in the middle of its plans, until the tasks of others are done'] = Math.round(took)
  await sleep(Math.max(0, ms - (performance.now() - began)))
  const planner = await trial.leader()
  if (planner === leader || planner === undefined) trial.violations.push(`${planner} plans while ${leader} is stopped`)
  const after = await give([...others, leader])
  const last = await lastEvent(trial)
  trial.workers.get(leader)!.signal('SIGCONT')
  await trial.ends('it continued, until the tasks of all are done', after, 60_000)
  const rows = await sql<{ operation: string; n: number }>`SELECT operation, count(*)::int AS n FROM origins
    WHERE event > ${last} AND address = ${addressOf(leader)}::inet GROUP BY operation`.execute(trial.store.read)
  const planned = rows.rows.filter(({ operation }) => plans.has(operation))
  trial.counts['seconds that it was stopped'] = Math.round(ms / 1000)
  trial.counts['accepted plans of it afterwards'] = planned.reduce((sum, { n }) => sum + n, 0)
  trial.counts['accepted writes as a host afterwards'] =
    rows.rows.reduce((sum, { n }) => sum + n, 0) - trial.counts['accepted plans of it afterwards']
  for (const { operation } of planned) trial.violations.push(`${leader} did ${operation} after it was stopped`)
  if (trial.counts['accepted writes as a host afterwards'] === 0)
    trial.violations.push(`${leader} wrote nothing at all afterwards, so the proof sees nothing`)
  if ((await trial.leader()) === leader) trial.violations.push(`${leader} plans again although another one does`)
}

/** The events that only the process that plans makes. */
const plans: ReadonlySet<string> = new Set([
  'dispatch',
  'sweep',
  'plan_deliveries',
  'lose_silent_host',
  'continue_stranded',
  'withdraw_run',
])

const lastEvent = async ({ store }: Trial): Promise<number> =>
  (await store.read.selectFrom('events').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()).id

const addressOf = (host: string): string => `10.77.0.${HOSTS.indexOf(host) + 2}`
