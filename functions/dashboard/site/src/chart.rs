//! A chart of a month: jobs by day, stacked by tool.
//!
//! Plotters only supports fixed colors, but ours depend on the theme. So each color here is a placeholder for a variable of the
//! style sheet, which replaces it.

use maud::{Markup, PreEscaped, html};
use plotters::prelude::*;

/// The number of series with their own color.
pub const COLORS: usize = 4;
const SIZE: (u32, u32) = (760, 260);
const AXIS: RGBColor = RGBColor(0xD0, 0, 0xA0);
const GRID: RGBColor = RGBColor(0xD0, 0, 0xA1);
const TEXT: RGBColor = RGBColor(0xD0, 0, 0xA2);

/// What one color stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// As the legend has it.
    pub name: String,
    /// A count for each day, starting with the first.
    pub counts: Vec<u64>,
}

/// The chart can't be drawn.
#[derive(Debug, thiserror::Error)]
#[error("the plot could not be drawn: {0}")]
pub struct ChartError(String);

/// The color number of the series at `position`, from 1.
pub fn color_of(position: usize) -> usize {
    position.min(COLORS - 1) + 1
}

fn color(position: usize) -> RGBColor {
    RGBColor(0xD0, 0, u8::try_from(color_of(position)).unwrap_or(1))
}

fn variables() -> impl Iterator<Item = (RGBColor, String)> {
    let series = (0..COLORS).map(|position| (color(position), format!("chart-{}", color_of(position))));
    let frame = [(AXIS, "chart-axis"), (GRID, "chart-grid"), (TEXT, "chart-text")];
    series.chain(frame.map(|(color, name)| (color, name.to_owned())))
}

/// The chart as a picture with title and description, for a `figure`.
///
/// # Errors
/// If the library can't draw it.
pub fn stacked_days(title: &str, description: &str, days: u8, series: &[Series]) -> Result<Markup, ChartError> {
    let mut drawing = String::new();
    draw(&mut drawing, days, series).map_err(|error| ChartError(error.to_string()))?;
    for (RGBColor(red, green, blue), name) in variables() {
        drawing = drawing.replace(&format!("#{red:02X}{green:02X}{blue:02X}"), &format!("var(--{name})"));
    }
    // Our own outer element gives the picture a name and a flexible size.
    let inner = drawing.split_once("<svg").and_then(|(_, rest)| rest.split_once('>')).map_or("", |(_, inner)| inner);
    Ok(html! {
        svg.chart viewBox=(format!("0 0 {} {}", SIZE.0, SIZE.1)) role="img" aria-labelledby="chart-title chart-description" {
            title #chart-title { (title) }
            desc #chart-description { (description) }
            (PreEscaped(inner.trim_end().trim_end_matches("</svg>")))
        }
    })
}

fn draw(drawing: &mut String, days: u8, series: &[Series]) -> Result<(), Box<dyn std::error::Error>> {
    let total = |day: usize| series.iter().filter_map(|series| series.counts.get(day)).sum::<u64>();
    let highest = (0..usize::from(days)).map(total).max().unwrap_or(0).max(4);
    let root = SVGBackend::with_string(drawing, SIZE).into_drawing_area();
    let days_axis = (1..u32::from(days)).into_segmented();
    let mut chart = ChartBuilder::on(&root)
        .margin(8)
        .x_label_area_size(28)
        .y_label_area_size(44)
        .build_cartesian_2d(days_axis, 0..highest + highest / 10 + 1)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(AXIS)
        .label_style(("sans-serif", 13).into_font().color(&TEXT))
        .x_labels(16)
        .y_labels(5)
        .x_label_formatter(&|day| match day {
            SegmentValue::CenterOf(day) | SegmentValue::Exact(day) => day.to_string(),
            SegmentValue::Last => String::new(),
        })
        .draw()?;
    let mut tops = vec![0u64; usize::from(days)];
    for (position, series) in series.iter().enumerate() {
        let bars = series.counts.iter().zip(&mut tops).zip(1u32..).filter(|((count, _), _)| **count > 0);
        let bars = bars.map(|((count, top), day)| {
            let from = *top;
            *top += count;
            let corners = [(SegmentValue::Exact(day), from), (SegmentValue::Exact(day + 1), *top)];
            let mut bar = Rectangle::new(corners, color(position).filled());
            bar.set_margin(0, 0, 2, 2);
            bar
        });
        chart.draw_series(bars)?;
    }
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(days: u8, series: &[Series]) -> String {
        stacked_days("Jobs <by> day", "All of them.", days, series).unwrap().into_string()
    }

    /// Height and bottom edge of each bar of a color in pixels.
    fn bars(plot: &str, color: usize) -> Vec<(i64, i64)> {
        let number = |bar: &str, name: &str| {
            let (_, rest) = bar.split_once(&format!(" {name}=\"")).unwrap();
            rest.split_once('"').unwrap().0.parse::<i64>().unwrap()
        };
        let fill = format!("fill=\"var(--chart-{color})\"");
        let rects = plot.split("<rect").skip(1).filter(|rect| rect.split('>').next().unwrap().contains(&fill));
        rects.map(|rect| (number(rect, "height"), number(rect, "y") + number(rect, "height"))).collect()
    }

    #[test]
    fn bars_have_the_height_of_their_counts_and_are_stacked() {
        let one = Series { name: "one".into(), counts: vec![0, 10, 20] };
        let other = Series { name: "other".into(), counts: vec![0, 0, 10] };
        let plot = plot(30, &[one, other]);
        let (first, second) = (bars(&plot, 1), bars(&plot, 2));
        assert_eq!((first.len(), second.len()), (2, 1), "{plot}");
        assert!((first[1].0 - 2 * first[0].0).abs() <= 2, "{first:?}");
        assert_eq!(first[0].1, first[1].1, "both stand on the axis");
        assert!((second[0].1 - (first[1].1 - first[1].0)).abs() <= 1, "the second stands on the first");
    }

    #[test]
    fn the_chart_has_a_name_and_the_themes_colors_and_no_styles() {
        let series: Vec<_> = (0..7).map(|tool| Series { name: format!("{tool}"), counts: vec![1; 31] }).collect();
        let plot = plot(31, &series);
        assert!(plot.contains("<title id=\"chart-title\">Jobs &lt;by&gt; day</title>"), "{plot}");
        assert!(plot.contains("role=\"img\"") && plot.matches("</svg>").count() == 1);
        assert!(!plot.contains('#') && !plot.contains("style="), "{plot}");
        assert_eq!((bars(&plot, 3).len(), bars(&plot, 4).len()), (31, 124), "further series share the last color");
    }

    #[test]
    fn a_month_without_jobs_has_a_chart() {
        assert!(plot(28, &[]).contains("chart-grid"));
    }
}
