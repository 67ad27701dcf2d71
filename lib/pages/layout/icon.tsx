/**
 * An icon of public/icons.svg, as tall as the text beside it. It is hidden from screen readers: its
 * link or button has words.
 */
export const Icon = ({ name }: { name: string }) => (
  <svg class="icon" aria-hidden="true">
    <use href={`/icons.svg#${name}`} />
  </svg>
)
