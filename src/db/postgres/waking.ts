import type { Ear, Server } from './server.ts'

// How a process notices the commits of others: a notification is a hint, sent outside of the transactions that it tells
// of, because a notifying transaction locks the whole server at its commit; the snapshot is asked from time to time.

/** The shortest time between two hints of a process (ms). */
const BETWEEN_HINTS = 50
/** How often the snapshot is asked with an ear that hears, and without one (ms). */
const FLOOR = { hearing: 15_000, deaf: 1000 } as const
/** How often an ear that hears nothing asks itself whether it can, and how long it waits for its own word (ms). */
const PROBE = { every: 10_000, patience: 2000 } as const

/** Without a look at the version for so long (ms), no process waits for changes, and the snapshot is left alone. */
const ASKED = 5000

export interface Waking {
  /** Grows with every commit of others that was noticed. */
  version(): number
  /** Tells others that this process has committed. */
  tell(): void
  /** False if notifications do not arrive, as through a pooler; undefined until that is known. */
  hears(): boolean | undefined
  close(): void
}

export const beginWaking = (server: Server, channel: string): Waking => new Watch(server, channel)

class Watch implements Waking {
  readonly #server: Server
  readonly #channel: string
  readonly #self = `${process.pid}.${Math.random().toString(36).slice(2)}`
  readonly #timers = new Set<NodeJS.Timeout>()
  #version = 0
  #snapshot: string | undefined
  #ear: Ear | undefined
  #hears: boolean | undefined
  #heardSelf = 0
  #told = -Infinity
  #asked = performance.now()
  #telling = false
  #closed = false

  constructor(server: Server, channel: string) {
    this.#server = server
    this.#channel = channel
    if (server.listen) void this.#listen()
    else this.#hears = false
    void this.#poll()
  }

  version(): number {
    this.#asked = performance.now()
    return this.#version
  }

  hears(): boolean | undefined {
    return this.#hears
  }

  tell(): void {
    if (this.#telling || this.#closed || !this.#server.listen) return
    this.#telling = true
    const wait = Math.max(0, this.#told + BETWEEN_HINTS - performance.now())
    this.#after(wait, async () => {
      this.#telling = false
      this.#told = performance.now()
      // Lost hints cost others no more than the time until they ask the snapshot.
      await this.#notify().catch(() => {})
    })
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
        if (payload === this.#self) this.#heardSelf = performance.now()
        else this.#version++
      })
      if (this.#closed) return this.#ear.close()
      await this.#probe()
    } catch {
      this.#hears = false
    }
    // Commits of the time without an ear are found by the snapshot.
    await this.#look().catch(() => {})
    this.#after(PROBE.every, () => this.#check())
  }

  /** Keeps the ear in order: asks it whether it hears, and makes another one if it is gone or has become deaf. */
  async #check(): Promise<void> {
    if (this.#ear?.alive() !== true) return this.#listen()
    await this.#probe().catch(() => void (this.#hears = false))
    // A network may drop a connection without a word. Through a pooler none has ever heard anything.
    if (!this.#hears && this.#heardSelf > 0) {
      this.#ear.close()
      return this.#listen()
    }
    this.#after(PROBE.every, () => this.#check())
  }

  async #probe(): Promise<void> {
    const asked = performance.now()
    await this.#notify()
    while (this.#heardSelf < asked && performance.now() - asked < PROBE.patience && !this.#closed)
      await new Promise<void>((resolve) => this.#after(20, resolve))
    this.#hears = this.#heardSelf >= asked
    // A pooler that gives each transaction another connection does not deliver notifications.
    this.#server.keepPrepared?.(this.#hears)
  }

  async #notify(): Promise<void> {
    const session = await this.#server.connect()
    let broken = true
    try {
      await session.query('SELECT set_config($1, $2, true), pg_notify($3, $4)', [
        'synchronous_commit',
        'off',
        this.#channel,
        this.#self,
      ])
      broken = false
    } finally {
      session.release(broken)
    }
  }

  async #poll(): Promise<void> {
    if (performance.now() - this.#asked < ASKED)
      await this.#look().catch(() => {
        // The server is away: whatever it has when it is back is new.
        this.#snapshot = undefined
      })
    this.#after(this.#hears === true ? FLOOR.hearing : FLOOR.deaf, () => this.#poll())
  }

  /** The text of a snapshot changes whenever a writing transaction begins or ends. */
  async #look(): Promise<void> {
    const session = await this.#server.connect()
    let broken = true
    try {
      const { rows } = await session.query<{ snapshot: string }>('SELECT pg_current_snapshot()::text AS snapshot', [])
      broken = false
      const { snapshot } = rows[0]!
      if (snapshot !== this.#snapshot) this.#version++
      this.#snapshot = snapshot
    } finally {
      session.release(broken)
    }
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
