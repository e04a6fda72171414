/** How far something is; the figure is beside the bar. */
import style from './progress.module.css';

/** `share` is from 0 to 1. */
export function Progress({ label, share }: { label: string; share: number }) {
  const percent = Math.floor(share * 100);
  return (
    <div className={style.progress}>
      <progress max={100} value={percent} aria-label={label} />
      <span>
        {label} {percent} %
      </span>
    </div>
  );
}
