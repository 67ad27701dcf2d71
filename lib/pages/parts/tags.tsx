/** Components for the tags of messages. */
import type { Tag } from '../../languages/message.ts'

/** For screen readers only. */
export const hidden: Tag = (content) => <span class="hidden">{content}</span>

/** A name that a person chose: it may be written right to left. */
export const name: Tag = (content) => <bdi>{content}</bdi>

export const strong: Tag = (content) => <strong>{content}</strong>

export const code: Tag = (content) => <code>{content}</code>

/** A badge for open tasks. */
export const openStatus: Tag = (content) => (
  <span class="status" data-status="open">
    {content}
  </span>
)

/** @param href null for a page that the reader may not open, which leaves the words */
export const linkTo =
  (href: string | null): Tag =>
  (content) =>
    href === null ? content : <a href={href}>{content}</a>
