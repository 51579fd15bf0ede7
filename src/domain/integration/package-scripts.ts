/** A changed script of a package.json. */
export interface ScriptChange {
  readonly name: string
  /** Null if there is none. */
  readonly before: string | null
  readonly after: string | null
}

/** The scripts that npm runs by itself when a package is installed or packed. */
const unasked = new Set([
  'preinstall',
  'install',
  'postinstall',
  'prepare',
  'preprepare',
  'postprepare',
  'prepublish',
  'prepublishOnly',
  'prepack',
  'postpack',
  'dependencies',
])

export const runsUnasked = ({ name }: ScriptChange): boolean => unasked.has(name)

/** The scripts that differ; undefined if one of the two cannot be parsed as a package.json. */
export const changedScripts = (before: string | null, after: string | null): readonly ScriptChange[] | undefined => {
  const [old, next] = [scriptsIn(before), scriptsIn(after)]
  if (!old || !next) return undefined
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((name) => {
    const change = { name, before: old.get(name) ?? null, after: next.get(name) ?? null }
    return change.before === change.after ? [] : [change]
  })
}

const scriptsIn = (text: string | null): ReadonlyMap<string, string> | undefined => {
  if (text === null) return new Map()
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown }
    if (scripts === undefined) return new Map()
    if (typeof scripts !== 'object' || scripts === null) return undefined
    return new Map(
      Object.entries(scripts).map(([name, script]) => [
        name,
        typeof script === 'string' ? script : JSON.stringify(script),
      ]),
    )
  } catch {
    return undefined
  }
}
