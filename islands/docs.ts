/** The script of /docs: search, languages of samples, and the reader's own values in them. */
import { fillSamples } from './docs/fill.ts'
import { startSearch } from './docs/search.ts'
import { startTabs } from './docs/tabs.ts'

// On a phone, the contents would fill the first screen.
if (matchMedia('(max-width: 60rem)').matches) {
  document.querySelector<HTMLDetailsElement>('.contents')?.removeAttribute('open')
}
startSearch()
startTabs()
void fillSamples()
