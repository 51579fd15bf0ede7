/** The lines that differ, without the common ones. */
export const changedLines = (before: string, after: string): readonly string[] => {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const rest = [...now]
  const removed = old.filter((line) => {
    const at = rest.indexOf(line)
    if (at !== -1) rest.splice(at, 1)
    return at === -1
  })
  return [...removed.map((line) => `- ${line}`), ...rest.map((line) => `+ ${line}`)].filter((line) => line.length > 2)
}
