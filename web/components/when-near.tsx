import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { usePageActions } from '../page.ts';

/** Content for which the page reads its later queries as soon as it is less than half a screen away. */
export function WhenNear({ children }: { readonly children: ComponentChildren }) {
  const { readLater } = usePageActions();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onChange = (entries: readonly IntersectionObserverEntry[]) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) readLater();
    };
    const observer = new IntersectionObserver(onChange, { rootMargin: '50%' });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [readLater]);
  return <div ref={element}>{children}</div>;
}
