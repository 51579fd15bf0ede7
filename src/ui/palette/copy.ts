/**
 * Asks the terminal to put a text on the clipboard (OSC 52), also over SSH. tmux takes the plain form where its `set-clipboard`
 * is on, and hands on what stands in its own passthrough, with every escape doubled, where its `allow-passthrough` is on. It
 * does not tell which, so it is given both: the same text twice is no harm.
 */
export const copySequence = (text: string, environment: Readonly<Record<string, string | undefined>>): string => {
  const plain = `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`
  return environment['TMUX'] ? `${plain}\u001bPtmux;${plain.replaceAll('\u001b', '\u001b\u001b')}\u001b\\` : plain
}
