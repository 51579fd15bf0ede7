import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { Paint } from './Paint.tsx'
import { typingHints } from '../src/text/panes.ts'

/** The line in which words are typed that rows or lines must have. */
export const Filter = ({ text, hint = ours(''), wrong = false }: { readonly text: SafeText; readonly hint?: SafeText; readonly wrong?: boolean }) => (
  <Paint label={typingHints.filterLabel(text)}>
    <Paint bold>{' / '}</Paint>
    {text}
    <Paint inverse> </Paint>
    {wrong ? <Paint colour="yellow">{`  ${hint}`}</Paint> : <Paint dim>{`  ${hint}`}</Paint>}
  </Paint>
)
