import { Query } from 'pg'

// The statements of one turn go to the server as one message with one end, and are answered at once; an end for each costs
// the server and this process more than most statements. A statement that is prepared on the connection is not described
// again: the server refuses it once its columns have changed.

/** The answer to a statement. */
export interface Result<Row = unknown> {
  readonly command: 'UPDATE' | 'DELETE' | 'INSERT' | 'SELECT' | 'MERGE'
  readonly rowCount: number
  readonly rows: Row[]
}

/** A statement that waits to be sent. */
export interface Asked {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** By which the connection finds it prepared. */
  readonly name: string | undefined
  readonly resolve: (result: Result<never>) => void
  readonly reject: (error: unknown) => void
}

type Read = (text: string) => unknown

/** The columns of the rows of a statement; none if it has no rows. */
interface Columns {
  readonly names: readonly string[]
  readonly reads: readonly Read[]
}

/** The columns of the statements that are prepared on a connection, by their names. */
export type Described = Map<string, Columns>

/** The connection of `pg`. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  /** Statements that the server has prepared, and those that it was asked to prepare. */
  readonly parsedStatements: Record<string, string | undefined>
  readonly submittedNamedStatements: Record<string, string | undefined>
  parse(statement: { readonly text: string; readonly name: string }): void
  bind(values: {
    readonly statement: string
    readonly values: readonly unknown[]
    readonly valueMapper: typeof sent
  }): void
  describe(what: { readonly type: 'P' }): void
  execute(): void
  sync(): void
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** `pg` gives the answers of the server to the query that it has sent; this one passes them to its statements, in turn. */
export class Batch extends Query {
  /** The statement that the server answers now, as `pg` wants to know it. */
  name: string | undefined
  text: string | undefined
  readonly #asked: readonly Asked[]
  readonly #described: Described
  readonly #readOf: (type: number) => Read
  readonly #over: () => void
  readonly #results: Result<never>[] = []
  /** Statements whose rows cannot be read, by their place, and why. */
  readonly #unread = new Map<number, unknown>()
  #rows: unknown[] = []
  #columns: Columns = NONE

  /** `over` is called when all is answered. */
  constructor(asked: readonly Asked[], described: Described, readOf: (type: number) => Read, over: () => void) {
    super({ text: '' })
    this.#asked = asked
    this.#described = described
    this.#readOf = readOf
    this.#over = over
    this.#turnTo(asked[0]!)
  }

  override submit = (connection: unknown): null => {
    const wire = connection as Wire
    wire.stream.cork()
    for (const one of this.#asked) this.#send(wire, one)
    wire.sync()
    wire.stream.uncork()
    return null
  }

  #send(wire: Wire, { name = '', sql, parameters }: Asked): void {
    const known = name !== '' && (wire.parsedStatements[name] ?? wire.submittedNamedStatements[name]) !== undefined
    if (!known) wire.parse({ text: sql, name })
    if (name !== '' && !known) wire.submittedNamedStatements[name] = sql
    wire.bind({ statement: name, values: parameters, valueMapper: sent })
    if (!this.#described.has(name)) wire.describe({ type: 'P' })
    wire.execute()
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#columns = {
      names: fields.map(({ name }) => name),
      reads: fields.map(({ dataTypeID }) => this.#readOf(dataTypeID)),
    }
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, reads } = this.#columns
    const row: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at++) {
      const text = fields[at]!
      try {
        row[names[at]!] = text === null ? null : reads[at]!(text)
      } catch (error) {
        // Thrown here, it would end the program instead of the statement.
        this.#unread.set(this.#results.length, error)
      }
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const words = text.split(' ')
    const rows = this.#rows as never[]
    this.#results.push({ command: words[0] as Result['command'], rowCount: Number(words.at(-1)) || 0, rows })
    if (this.name !== undefined) this.#described.set(this.name, this.#columns)
    const next = this.#asked[this.#results.length]
    if (next) this.#turnTo(next)
  }

  #turnTo({ name, sql }: Asked): void {
    this.name = name
    this.text = sql
    this.#rows = []
    this.#columns = (name === undefined ? undefined : this.#described.get(name)) ?? NONE
  }

  /** The server does none of the statements after one that failed. */
  handleError(error: unknown, connection: unknown): void {
    const { submittedNamedStatements } = connection as Wire
    for (const { name } of this.#asked.slice(this.#results.length))
      if (name !== undefined) delete submittedNamedStatements[name]
    this.#settle(error)
  }

  handleReadyForQuery(): void {
    this.#settle(undefined)
  }

  #settle(error: unknown): void {
    this.#over()
    for (const [at, { resolve, reject }] of this.#asked.entries()) {
      const result = this.#results[at]
      if (this.#unread.has(at)) reject(this.#unread.get(at))
      else if (result) resolve(result)
      else reject(error)
    }
  }
}

const NONE: Columns = { names: [], reads: [] }

/** A parameter as it goes to the server: as text, or as bytes. */
const sent = (value: unknown): string | Buffer | null => {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (Array.isArray(value))
    return `{${value.map((text) => `"${String(text).replaceAll(/[\\"]/g, '\\$&')}"`).join(',')}}`
  return `${value as string | number | bigint | boolean}`
}
