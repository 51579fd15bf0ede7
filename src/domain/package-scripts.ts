/** A script of a package.json that is not the same any more. */
export interface ScriptChange {
  readonly name: string
  /** Null where there was or is none. */
  readonly before: string | null
  readonly after: string | null
}

/** What a package.json runs when it is installed or packed, unasked. */
const unasked = new Set(['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare', 'prepublish', 'prepublishOnly', 'prepack', 'postpack', 'dependencies'])

export const runsUnasked = ({ name }: ScriptChange): boolean => unasked.has(name)

/** The scripts that differ; undefined where one of the two cannot be read as a package.json. */
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
    return new Map(Object.entries(scripts).map(([name, script]) => [name, typeof script === 'string' ? script : JSON.stringify(script)]))
  } catch {
    return undefined
  }
}
