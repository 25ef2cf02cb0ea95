package dev.durable.samples;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** One line that is drawn over and over. */
final class ProgressBarOnTerminal implements Progress {
    private final ProgressBar bar;

    ProgressBarOnTerminal(String unit, long total) {
        bar = new ProgressBarBuilder()
                .setTaskName(unit)
                .setInitialMax(total)
                .setStyle(ProgressBarStyle.COLORFUL_UNICODE_BAR)
                .setUpdateIntervalMillis(100)
                .build();
    }

    @Override
    public void show(long done, String note) {
        bar.stepTo(done);
        bar.setExtraMessage(" " + note);
    }

    @Override
    public void close() {
        bar.close();
    }
}
