import { z } from 'zod'
import type { ProcessObservation, WorktreeObservation } from '../../contracts/observations.ts'
import type { Outside } from '../../contracts/outside.ts'
import type { Review, ReviewFile } from '../../contracts/review.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { indexDiff } from '../../domain/words/unified-diff.ts'
import { readSights, readWatching, recordSight, WATCHING } from '../../operations/hosts/observations.ts'
import { perform } from '../../operations/perform/perform.ts'
import { takeLease } from '../../operations/supervision/leases.ts'
import type { Job } from '../job.ts'
import type { Sights, World } from '../world.ts'

// Observations of one host that another shows: its processes, its worktrees, and a review on its way.

/** How often it is looked whether a console watches, and how often each subject is recorded then (ms). */
const PACE = { look: 3000, processes: 3000, worktrees: 6000, unwatched: 60_000 } as const

type Subject = 'processes' | 'worktrees'

/** The sights of this host as a source of jobs. */
export const sightJobsOf = (world: World): ((now: number) => readonly Job[]) => {
  let due = 0
  // The use of a processor is reckoned from one look to the next.
  let seen: Promise<Sights> | undefined
  const last = new Map<Subject, { readonly content: string; readonly at: number }>()
  const record = async (
    { core, actor, sights }: World,
    { subject, pace, now }: { readonly subject: Subject; readonly pace: number; readonly now: number },
  ): Promise<void> => {
    const before = last.get(subject)
    if (before !== undefined && now - before.at < pace) return
    const eyes = await (seen ??= sights!())
    const content = JSON.stringify(
      subject === 'processes' ? await eyes.observeProcesses() : await eyes.observeWorktrees(),
    )
    // The same is recorded again before it is too old to be shown; nothing at all, only once.
    const isSame = before?.content === content
    if (isSame && (content === '[]' || now - before.at < PACE.unwatched)) return
    await perform(core, recordSight, { subject, content }, actor)
    last.set(subject, { content, at: now })
  }
  return (now) => {
    if (typeof world.core.host !== 'string' || world.sights === undefined || now < due) return []
    due = now + PACE.look
    const run = async (): Promise<void> => {
      const held = { ...world }
      const { several, watching } = await perform(held.core, readWatching, {}, held.actor)
      if (!several) return void (due = now + PACE.unwatched)
      for (const subject of ['processes', 'worktrees'] as const)
        await record(held, { subject, now, pace: watching ? PACE[subject] : PACE.unwatched })
    }
    return [{ key: 'sights', run }]
  }
}

const processes = z.array(
  z.object({
    agentId: z.string(),
    cpu: z.number(),
    memory: z.number(),
    processes: z.number(),
    lastOutput: z.string().nullable().optional(),
  }),
)
const worktrees = z.array(
  z.object({
    name: z.string(),
    ahead: z.number(),
    behind: z.number(),
    dirty: z.number().nullable(),
    edited: z.number().optional(),
    problem: z.string().optional(),
    added: z.number(),
    removed: z.number(),
  }),
)

/** How long a console counts as watching after it has read, and how often it says so (ms). */
const WATCHED = { ttl: 20_000, every: 8000 } as const

/** The sights of this host, and those that the others have recorded. */
export const sightsElsewhere = (
  world: World,
  here: Pick<Outside, 'observeProcesses' | 'observeWorktrees'>,
): Pick<Sights, 'observeProcesses' | 'observeWorktrees'> => {
  const { core, actor, holder } = world
  let several = false
  let asked = -Infinity
  const isWatched = async (): Promise<boolean> => {
    const now = performance.now()
    if (now - asked < WATCHED.every) return several
    asked = now
    several = (await perform(core, readWatching, {}, actor)).several
    if (several) await perform(core, takeLease, { name: WATCHING, holder, pid: process.pid, ttl: WATCHED.ttl }, actor)
    return several
  }
  const known = new Map<Subject, { readonly at: number; readonly rows: readonly { readonly content: string }[] }>()
  const read = async <T>(subject: Subject, schema: z.ZodType<readonly T[]>): Promise<readonly T[]> => {
    if (!(await isWatched())) return []
    const now = performance.now()
    const before = known.get(subject)
    const rows =
      before !== undefined && now - before.at < PACE.look
        ? before.rows
        : await perform(core, readSights, { subject }, actor)
    if (rows !== before?.rows) known.set(subject, { at: now, rows })
    // Another host wrote them, perhaps a newer aiswarm.
    return rows.flatMap(({ content }) => schema.safeParse(parsed(content)).data ?? [])
  }
  return {
    observeProcesses: async () => [
      ...(await here.observeProcesses()),
      ...(await read<ProcessObservation>('processes', processes)),
    ],
    observeWorktrees: async (names) => {
      const own = await here.observeWorktrees(names)
      const mine = new Set(own.map(({ name }) => name))
      const others = await read<WorktreeObservation>('worktrees', worktrees)
      return [...own, ...others.filter(({ name }) => !mine.has(name) && (names?.includes(name) ?? true))]
    },
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// A review on its way between hosts: an index of a diff is made anew from its text.

interface PackedFile extends Omit<ReviewFile, 'diff'> {
  readonly diff: string | null
}

interface PackedReview extends Omit<Review, 'files'> {
  readonly files: readonly PackedFile[]
}

export const packReview = (review: Review): PackedReview => ({
  ...review,
  files: review.files.map((file) => ({ ...file, diff: file.diff?.text ?? null })),
})

export const unpackReview = (review: PackedReview): Review => ({
  ...review,
  files: review.files.map((file) => ({ ...file, diff: file.diff === null ? null : indexDiff(file.diff) })),
})

/** The diff of a file that was too large for the review. The file is found by its path, which opens nothing by itself. */
export const presentFile = async (
  sights: Sights,
  { worktree, to, path }: { readonly worktree: string; readonly to: string; readonly path: string },
): Promise<string> => {
  const review = await sights.presentWorktree(worktree)
  const file = review.files.find((one) => one.path === path)
  if (review.to !== to || file === undefined)
    throw new Refusal('invalid_state', `${worktree} has changed since its diff was read. Try again.`)
  return (await sights.readReviewFile(review, file)).text
}
