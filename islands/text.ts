/**
 * The texts of managers' pages in their scripts. A script bundles only the messages that it names.
 */
import { inEnglish, type Message, type RichMessage, type Tag } from '../lib/languages/message.ts'

type Content = Node | string

/** Wraps the content of a tag, for example in a link. */
export type Wrap = (content: Content[]) => Content

type InDom<Values> = { [Name in keyof Values]: Values[Name] extends Tag ? Wrap : Values[Name] }

/**
 * Texts, as `t` of lib/pages/layout/text.ts provides them. A message with tags is a list of nodes,
 * for `h`.
 */
type Translate = {
  <Values = undefined>(
    message: Message<Values>,
    ...values: undefined extends Values ? [] : [values: Values]
  ): string
  <Values>(message: RichMessage<Values>, values: InDom<Values>): Content[]
}

/**
 * A text of the page, in English: `t(m.import_resume)`, `h('p', {}, ...t(m.import_tag_needed, {
 * code }))`.
 */
export const t = (<Values>(message: Message<Values> | RichMessage<Values>, values: Values) => {
  const text = inEnglish(message as RichMessage<Values>, values)
  return 'rich' in message ? [text].flat() : text
}) as Translate
