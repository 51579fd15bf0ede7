import type { ClockRead, Ear, Server, Session } from './server.ts'

// How a process notices the commits of others: a notification is a hint, sent outside of the transactions that it tells
// of, because a notifying transaction locks the whole server at its commit; the snapshot is asked from time to time.

export interface Waking {
  /** Grows with every commit of others that was noticed. */
  version(): number
  /** Tells others of a commit, at once and over its connection if that is given: a command may end right after it. */
  tell(session?: Session): void
  /** The number of a transaction of this process, which is none of others. */
  own(xid: string): void
  /** False if notifications do not arrive, as through a pooler; undefined until that is known. */
  hears(): boolean | undefined
  close(): void
}

/** The server as it was found when it was asked for changes. */
interface Found {
  readonly clock: ClockRead
  /** When it was asked (ms of the monotonic clock). */
  readonly asked: number
  /** The store that has the board now, if it is another one. */
  readonly moved: string | null
}

export const beginWaking = (server: Server, channel: string, found: (found: Found) => void): Waking =>
  new Watch(server, channel, found)

/** The hints that a process may send at once, and the time in which it may send one more (ms). */
const HINTS = { atOnce: 5, every: 50 } as const
/** A process that ends sooner, as most commands do, needs no ear (ms). */
const SHORT = 2000
/** How often the snapshot is asked with an ear that hears, and without one (ms). */
const FLOOR = { hearing: 15_000, deaf: 1000 } as const
/** How often an ear that hears nothing asks itself whether it can, and how long it waits for its own word (ms). */
const PROBE = { every: 10_000, patience: 2000 } as const

/** The most transactions of this process that are remembered. */
const MOST_OWN = 10_000

/** Without a look at the version for so long (ms), no process waits for changes, and the snapshot is left alone. */
const ASKED = 5000

class Watch implements Waking {
  readonly #server: Server
  readonly #channel: string
  readonly #found: (found: Found) => void
  readonly #self = `${process.pid}.${Math.random().toString(36).slice(2)}`
  readonly #timers = new Set<NodeJS.Timeout>()
  #version = 0
  #snapshot: string | undefined
  /** Transactions of this process that the last snapshot does not have as ended. */
  #own = new Set<string>()
  #ear: Ear | undefined
  #hears: boolean | undefined
  #heardSelf = 0
  #hints: number = HINTS.atOnce
  #counted = performance.now()
  #asked = performance.now()
  #begun = false
  #telling = false
  #closed = false

  constructor(server: Server, channel: string, found: (found: Found) => void) {
    this.#server = server
    this.#channel = channel
    this.#found = found
    this.#after(SHORT, () => this.#begin())
  }

  version(): number {
    this.#begin()
    this.#asked = performance.now()
    return this.#version
  }

  own(xid: string): void {
    // They are forgotten by a look, and the last one was long ago: the next one counts as a change.
    if (this.#own.size >= MOST_OWN) this.#forget()
    if (this.#snapshot !== undefined) this.#own.add(xid)
  }

  hears(): boolean | undefined {
    this.#begin()
    return this.#hears
  }

  /** A console shows whether changes are polled, so it has to look again when that is another than before. */
  #heard(hears: boolean): void {
    if ((this.#hears === false) !== !hears) this.#version++
    this.#hears = hears
  }

  tell(session?: Session): void {
    if (this.#telling || this.#closed || !this.#server.listen) return
    const now = performance.now()
    this.#hints = Math.min(HINTS.atOnce, this.#hints + (now - this.#counted) / HINTS.every)
    this.#counted = now
    if (session && this.#hints >= 1) return this.#hint(session)
    this.#telling = true
    this.#after(Math.max(0, (1 - this.#hints) * HINTS.every), async () => {
      this.#telling = false
      await this.#lent((other) => this.#hint(other)).catch(() => {})
    })
  }

  /** Lost hints cost others no more than the time until they ask the snapshot. */
  #hint(session: Session): void {
    this.#hints--
    this.#notify(session, this.#self).catch(() => {})
  }

  #begin(): void {
    if (this.#begun || this.#closed) return
    this.#begun = true
    if (this.#server.listen) void this.#listen()
    else this.#heard(false)
    void this.#poll()
  }

  close(): void {
    this.#closed = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#ear?.close()
  }

  async #listen(): Promise<void> {
    if (this.#closed) return
    try {
      this.#ear = await this.#server.listen!(this.#channel, (payload) => {
        if (payload.startsWith(this.#self)) this.#heardSelf = performance.now()
        else if (!payload.endsWith(QUESTION)) this.#version++
      })
      if (this.#closed) return this.#ear.close()
      await this.#probe()
    } catch {
      this.#heard(false)
    }
    // Commits of the time without an ear are found by the snapshot.
    await this.#look().catch(() => {})
    this.#after(PROBE.every, () => this.#check())
  }

  /** Keeps the ear in order: asks it whether it hears, and makes another one if it is gone or has become deaf. */
  async #check(): Promise<void> {
    if (this.#ear?.alive() !== true) return this.#listen()
    await this.#probe().catch(() => this.#heard(false))
    // A network may drop a connection without a word. Through a pooler none has ever heard anything.
    if (!this.#hears && this.#heardSelf > 0) {
      this.#ear.close()
      return this.#listen()
    }
    this.#after(PROBE.every, () => this.#check())
  }

  async #probe(): Promise<void> {
    const asked = performance.now()
    await this.#lent((session) => this.#notify(session, this.#self + QUESTION))
    while (this.#heardSelf < asked && performance.now() - asked < PROBE.patience && !this.#closed)
      await new Promise<void>((resolve) => this.#after(20, resolve))
    this.#heard(this.#heardSelf >= asked)
  }

  async #notify(session: Session, word: string): Promise<void> {
    const { rows } = await session.query<{ readonly xid: string }>(NOTIFY, [
      ...['synchronous_commit', 'off', this.#channel, word],
    ])
    this.own(rows[0]!.xid)
  }

  /** Lends a connection for one statement. */
  async #lent<T>(work: (session: Session) => T): Promise<Awaited<T>> {
    const session = await this.#server.connect()
    let broken = true
    try {
      const result = await work(session)
      broken = false
      return result
    } finally {
      session.release(broken)
    }
  }

  async #poll(): Promise<void> {
    if (performance.now() - this.#asked < ASKED)
      await this.#look().catch(() => {
        // The server is away: whatever it has when it is back is new.
        this.#forget()
      })
    this.#after(this.#hears === true ? FLOOR.hearing : FLOOR.deaf, () => this.#poll())
  }

  #forget(): void {
    this.#snapshot = undefined
    this.#own.clear()
  }

  /** Looks whether a writing transaction of others has ended. */
  async #look(): Promise<void> {
    const asked = performance.now()
    const { rows } = await this.#lent((session) => session.query<Looked>(LOOK, []))
    const { snapshot, now, moved } = rows[0]!
    this.#found({ clock: { server: now, here: (asked + performance.now()) / 2 }, asked, moved })
    if (this.#snapshot === undefined || othersEnded(this.#snapshot, snapshot, this.#own)) this.#version++
    this.#snapshot = snapshot
    this.#own = stillOpen(snapshot, this.#own)
  }

  #after(ms: number, work: () => unknown): void {
    if (this.#closed) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void work()
    }, ms)
    // Watching must not keep the program alive.
    timer.unref()
    this.#timers.add(timer)
  }
}

/** Also reads the clock, which a process that writes nothing must know, and whether the board is still here. */
const LOOK =
  'SELECT pg_current_snapshot()::text AS snapshot, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now, (SELECT moved_to FROM board) AS moved'

interface Looked {
  readonly snapshot: string
  readonly now: number
  readonly moved: string | null
}

/** The end of the word by which a process asks itself whether it hears; it tells others nothing. */
const QUESTION = '?'

const NOTIFY = 'SELECT set_config($1, $2, true), pg_notify($3, $4), pg_current_xact_id()::text AS xid'

// The text of pg_current_snapshot(): `xmin:xmax:xid,xid…`, the transactions below xmax that are not in the list have ended.

interface Snapshot {
  /** The lowest transaction that was still open. */
  readonly xmin: bigint
  /** One past the highest transaction that had ended. */
  readonly xmax: bigint
  /** The numbers of those below it that were still open. */
  readonly open: ReadonlySet<string>
}

/** More transactions than so many are not looked at one by one. */
const MANY = 10_000n

/** True if a transaction that is not one of `own` has ended between two snapshots of a server. */
export const othersEnded = (before: string, now: string, own: ReadonlySet<string>): boolean => {
  const [was, is] = [snapshotOf(before), snapshotOf(now)]
  // A server that was restored counts from an earlier number.
  if (is.xmax < was.xmax || is.xmax - was.xmax > MANY) return true
  const isOfOthers = (xid: string): boolean => !is.open.has(xid) && !own.has(xid)
  if ([...was.open].some(isOfOthers)) return true
  for (let xid = was.xmax; xid < is.xmax; xid++) if (isOfOthers(String(xid))) return true
  return false
}

/** Those of `own` that may still end after the snapshot. */
export const stillOpen = (now: string, own: ReadonlySet<string>): Set<string> => {
  const { xmin } = snapshotOf(now)
  return new Set([...own].filter((xid) => BigInt(xid) >= xmin))
}

const snapshotOf = (text: string): Snapshot => {
  const [xmin = '0', xmax = '0', open = ''] = text.split(':')
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), open: new Set(open === '' ? [] : open.split(',')) }
}
